/**
 * Logs each expiry of a hold once: nobody lifted it, and work starts again.
 * Which holds have ended, and how, is `ended-holds.ts`.
 */
import type { GateChange } from './gate.ts';
import { type GateLog, logWarning } from './gate-log.ts';
import { oneLine } from './notice.ts';

/** Expiries that are remembered. A hold of the root ends for each profile of the gate, and is logged once. */
const MAX_REMEMBERED = 256;
const MAX_WORDS = 200;

export function expiryLog(log: GateLog | undefined): (change: GateChange) => void {
  const logged = new Set<string>();
  return ({ profile, ended, engaged }) => {
    for (const { id, scope, holder, reason, expiresAt, by } of ended) {
      // A sentinel that was copied to another profile has the same id there.
      const key = scope === 'profile' ? `${profile} ${id}` : `${scope}/ ${id}`;
      if (log === undefined || by !== 'expired' || logged.has(key)) continue;
      logged.add(key);
      if (logged.size > MAX_REMEMBERED) logged.delete([...logged][0] ?? '');
      const where = scope === 'profile' ? profile : `the ${scope === 'root' ? 'fleet' : scope}`;
      const whose = holder === null ? 'an unnamed holder' : oneLine(holder, 64);
      const why = reason === null || reason === '' ? '' : ` (${oneLine(reason, MAX_WORDS)})`;
      const then = engaged ? 'others still hold it' : 'new work starts again';
      const message = `the pause of ${where} by ${whose}${why} expired at its deadline ${expiresAt}, nobody lifted it; ${then}`;
      const fields = { profile, scope, hold: id, holder, expiresAt, engaged };
      logWarning(log, fields, message);
    }
  };
}
