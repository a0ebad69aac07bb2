/**
 * Remembers which engagements a scheduler's door was not told of yet, so that each is told once per
 * door, one that came and went between two ticks included.
 * How it is told is the lane's affair.
 */
import type { Refused } from './gate.ts';

export interface UnreportedEngagements {
  /** Oldest first; the last one stands if anything does. */
  readonly engagements: readonly Refused[];
  /** Older ones that are not remembered any more. */
  readonly forgotten: number;
}

export interface EngagementLog {
  /** What refuses somebody without a name, as just read from the disk; null: nothing does. */
  see(refused: Refused | null): void;
  /** Those that this door was not told of. */
  unreported(door: string): UnreportedEngagements;
}

/** A door that ticks rarely is told of the newest; whoever needs all of them reads the journal. */
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
