/**
 * Says once that a hold ended by itself, whoever watches: nobody lifted it, and work starts again.
 * Which holds have ended, and how, is `ended-holds.ts`.
 */
import { safely } from '../link/safely.ts';
import type { GateChange } from './gate.ts';
import { oneLine } from './notice.ts';
import type { GateLog } from './profile.ts';

/** A hold of the root ends for each lane of a gate, within one look: that many are remembered. */
const MAX_REMEMBERED = 256;
const MAX_WORDS = 200;

export function expiryLog(log: GateLog | undefined): (change: GateChange) => void {
  const logged = new Set<string>();
  return ({ profile, ended, engaged }) => {
    for (const { id, scope, holder, reason, expiresAt, by } of ended) {
      if (log === undefined || by !== 'expired' || logged.has(id)) continue;
      logged.add(id);
      if (logged.size > MAX_REMEMBERED) logged.delete([...logged][0] ?? '');
      const where = scope === 'profile' ? profile : `the ${scope === 'root' ? 'fleet' : scope}`;
      const whose = holder === null ? 'nobody named' : oneLine(holder, 64);
      const why = reason === null || reason === '' ? '' : ` (${oneLine(reason, MAX_WORDS)})`;
      const then = engaged ? 'others still hold it' : 'new work starts again';
      const message = `nobody lifted it: the pause of ${where} by ${whose}${why} ended by itself at its deadline, ${expiresAt}; ${then}`;
      const fields = { profile, scope, hold: id, holder, expiresAt, engaged };
      // By its own name, which a logger may need to be called by.
      safely(() =>
        log.warn === undefined ? log.info(fields, message) : log.warn(fields, message),
      );
    }
  };
}
