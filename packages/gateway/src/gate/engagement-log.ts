/**
 * Remembers which engagements each scheduler door has not logged yet, including one that began and
 * ended between two ticks, so that each is logged once per door.
 * The log lines are `profile.ts`.
 */
import type { Refused } from './gate.ts';

export interface UnreportedEngagements {
  /** Oldest first. If the profile is held now, the last one is current. */
  readonly engagements: readonly Refused[];
  /** Number of older ones that were dropped. */
  readonly forgotten: number;
}

export interface EngagementLog {
  /** The refusal of an anonymous applicant, as just read from the disk; null if nothing refuses. */
  see(refused: Refused | null): void;
  /** The engagements that this door has not logged yet. Marks them as logged. */
  unreported(door: string): UnreportedEngagements;
}

/** A door that ticks rarely logs only the newest; the journal has all of them. */
const MAX_REMEMBERED = 8;
const NONE: UnreportedEngagements = { engagements: [], forgotten: 0 };

export function engagementLog(): EngagementLog {
  let newest: Refused[] = [];
  let seen = 0;
  let current: string | null = null;
  const reported = new Map<string, number>();
  return {
    see(refused) {
      if (refused !== null && refused.engagement !== current) {
        newest = [...newest, refused].slice(-MAX_REMEMBERED);
        seen += 1;
      }
      current = refused === null ? null : refused.engagement;
    },
    unreported(door) {
      const count = seen - (reported.get(door) ?? 0);
      if (count === 0) return NONE;
      reported.set(door, seen);
      const engagements = newest.slice(-count);
      return { engagements, forgotten: count - engagements.length };
    },
  };
}
