/**
 * Remembers which engagements each scheduler door has not logged yet, including one that began and
 * ended between two ticks, and logs each once per door.
 */
import { safely } from '../link/safely.ts';
import type { Refused } from './gate.ts';
import type { GateLog } from './gate-log.ts';

interface UnreportedEngagements {
  /** Oldest first. If the profile is held now, the last one is current. */
  readonly engagements: readonly Refused[];
  /** Number of older ones that were dropped. */
  readonly forgotten: number;
}

export interface EngagementLog {
  /** The refusal of an anonymous applicant, as just read from the disk; null if nothing refuses. */
  see(refused: Refused | null): void;
  /** Logs the engagements that this door has not logged yet. `current`: the one that stands; null: none. */
  log(door: string, current: string | null): void;
}

/** A door that ticks rarely logs only the newest; the journal has all of them. */
const MAX_REMEMBERED = 8;
const NONE: UnreportedEngagements = { engagements: [], forgotten: 0 };

export function engagementLog(profile: string, log: GateLog | undefined): EngagementLog {
  let newest: Refused[] = [];
  let seen = 0;
  let current: string | null = null;
  const reported = new Map<string, number>();

  const unreported = (door: string): UnreportedEngagements => {
    const count = seen - (reported.get(door) ?? 0);
    if (count === 0) return NONE;
    reported.set(door, seen);
    const engagements = newest.slice(-count);
    return { engagements, forgotten: count - engagements.length };
  };

  return {
    see(refused) {
      if (refused !== null && refused.engagement !== current) {
        newest = [...newest, refused].slice(-MAX_REMEMBERED);
        seen += 1;
      }
      current = refused === null ? null : refused.engagement;
    },
    log(door, stands) {
      const { engagements, forgotten } = unreported(door);
      if (log === undefined || engagements.length === 0) return;
      if (forgotten > 0) {
        const message = `${door}: ${forgotten} earlier pauses since its last tick are not logged one by one`;
        safely(() => log.info({ door, profile, forgotten }, message));
      }
      for (const { engagement, notice, holds, until } of engagements) {
        const ended = engagement !== stands;
        const ids = holds.map(({ id }) => id);
        const fields = { door, profile, engagement, holds: ids, until, ended };
        const message = ended
          ? `${door}: a pause began and ended between two ticks: ${notice}`
          : `${door} starts nothing: ${notice}`;
        safely(() => log.info(fields, message));
      }
    },
  };
}
