/**
 * What was written to one gateway and waits to be acknowledged by it.
 * INVARIANT 12: only what is noted here can be acknowledged; what merely waits in an outbox, or was
 * passed over for something newer, cannot.
 */
export interface PendingAcknowledgements {
  sent(profile: string, revision: number): void;
  /** When it was said, and then forgets it and what is older; null: it never was, or long ago. */
  acknowledged(profile: string, revision: number): number | null;
  forgetAllBut(profiles: ReadonlySet<string>): void;
}

/** A gateway that is further behind will acknowledge a newer one, or is of no use. */
const MAX_PENDING = 16;

interface SentRevision {
  readonly revision: number;
  readonly atMs: number;
}

export function pendingAcknowledgements(steadyMs: () => number): PendingAcknowledgements {
  const pending = new Map<string, readonly SentRevision[]>();
  return {
    sent(profile, revision) {
      const known = pending.get(profile) ?? [];
      const sentRevision = [...known, { revision, atMs: steadyMs() }];
      pending.set(profile, sentRevision.slice(-MAX_PENDING));
    },
    acknowledged(profile, revision) {
      const known = pending.get(profile) ?? [];
      const found = known.find((sentRevision) => sentRevision.revision === revision);
      if (found === undefined) return null;
      pending.set(
        profile,
        known.filter((sentRevision) => sentRevision.revision > revision),
      );
      return found.atMs;
    },
    forgetAllBut(profiles) {
      for (const profile of pending.keys()) {
        if (!profiles.has(profile)) pending.delete(profile);
      }
    },
  };
}
