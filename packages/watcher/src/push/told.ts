/**
 * What was written to one gateway and waits to be acknowledged by it.
 * INVARIANT 12: only what is noted here can be acknowledged; what merely waits in an outbox, or was
 * passed over for something newer, cannot.
 */
export interface Told {
  said(profile: string, revision: number): void;
  /** When it was said, and then forgets it and what is older; null: it never was, or long ago. */
  answered(profile: string, revision: number): number | null;
  forgetAllBut(profiles: ReadonlySet<string>): void;
}

/** A gateway that is further behind will acknowledge a newer one, or is of no use. */
const MAX_UNANSWERED = 16;

interface Said {
  readonly revision: number;
  readonly atMs: number;
}

export function told(steadyMs: () => number): Told {
  const unanswered = new Map<string, readonly Said[]>();
  return {
    said(profile, revision) {
      const known = unanswered.get(profile) ?? [];
      const said = [...known, { revision, atMs: steadyMs() }];
      unanswered.set(profile, said.slice(-MAX_UNANSWERED));
    },
    answered(profile, revision) {
      const known = unanswered.get(profile) ?? [];
      const found = known.find((said) => said.revision === revision);
      if (found === undefined) return null;
      unanswered.set(
        profile,
        known.filter((said) => said.revision > revision),
      );
      return found.atMs;
    },
    forgetAllBut(profiles) {
      for (const profile of unanswered.keys()) {
        if (!profiles.has(profile)) unanswered.delete(profile);
      }
    },
  };
}
