/**
 * Logs once that a scheduler skips a piece of work because its last run is still in hand, and how often
 * it was skipped when it runs again. Whether it is in hand is decided by the register.
 */
import type { WorkRecord } from '@fleet-estop/ledger';
import { formatSpan } from '@fleet-estop/sentinel-core';
import { safely } from '../link/safely.ts';
import { type GateLog, logWarning } from './gate-log.ts';
import { oneLine } from './notice.ts';

export interface SkippedWorkOptions {
  readonly profile: string;
  readonly log: GateLog | undefined;
  readonly now: () => number;
  readonly list: () => readonly WorkRecord[];
}

interface Piece {
  readonly door: string;
  readonly id: string;
}

export interface SkippedWork {
  /** Records one attempt to begin a piece of work. */
  record(piece: Piece, begun: boolean): void;
}

/** Pieces whose skips are counted. Beyond that, the oldest is forgotten and may be logged again. */
const MAX_COUNTED = 1_000;

export function skippedWork({ profile, log, now, list }: SkippedWorkOptions): SkippedWork {
  const counts = new Map<string, number>();
  const logSkip = ({ door, id }: Piece): void => {
    const record = list().find((it) => it.door === door && it.id === id);
    const { since = null, pid = null, fate = null } = record ?? {};
    const ageMs = since === null ? null : now() - Date.parse(since);
    const age = ageMs === null || Number.isNaN(ageMs) ? 'unknown' : formatSpan(ageMs);
    const fields = { door, profile, id, since, pid, fate };
    const message = `${door} skips \`${oneLine(id, 64)}\`: its last run is still in hand (age: ${age}, process ${pid ?? 'unknown'}); further skips are counted and reported when it runs again`;
    logWarning(log, fields, message);
  };

  return {
    record({ door, id }, begun) {
      if (log === undefined) return;
      const key = JSON.stringify([door, id]);
      const skipped = counts.get(key) ?? 0;
      if (!begun) {
        counts.set(key, skipped + 1);
        if (skipped === 0) logSkip({ door, id });
        if (counts.size > MAX_COUNTED) counts.delete([...counts.keys()][0] ?? '');
        return;
      }
      counts.delete(key);
      if (skipped === 0) return;
      const times = skipped === 1 ? 'once' : `${skipped} times`;
      const message = `${door} runs \`${oneLine(id, 64)}\` again: it was skipped ${times}`;
      safely(() => log.info({ door, profile, id, skipped }, message));
    },
  };
}
