/**
 * What was written to one gateway and awaits its acknowledgement.
 * INVARIANT 12: only what is recorded here can be acknowledged. A frame that still waits in an
 * outbox, or was replaced by a newer one, cannot.
 */
export interface PendingAcknowledgements {
  sent(profile: string, revision: number): void;
  /** Answers when it was sent, and forgets it and older ones; null: never sent, or too long ago. */
  acknowledged(profile: string, revision: number): number | null;
  forgetAllBut(profiles: ReadonlySet<string>): void;
}

/** A gateway that is further behind acknowledges a newer revision, or is broken. */
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
      const revisions = [...known, { revision, atMs: steadyMs() }];
      pending.set(profile, revisions.slice(-MAX_PENDING));
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
