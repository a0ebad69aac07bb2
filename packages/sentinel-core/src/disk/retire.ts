/**
 * Removes an expired sentinel from disk.
 * `lift.ts` lifts a hold in force on purpose.
 */

import { failureOf } from '../files/errno.ts';
import type { Hold } from '../model/hold.ts';
import { giveBack } from './give-back.ts';
import { inspect, type Sentinel } from './inspect.ts';
import { claimName, join, SENTINEL } from './names.ts';
import type { DiskPort } from './port.ts';
import type { RetireResult } from './results.ts';
import { withTenure } from './tenure.ts';
import { discardOwn, TenureLost } from './tenure-entries.ts';

/** Options of `retire`. */
export interface RetireOptions {
  readonly tries?: number;
  /**
   * Retire only if the expiry does not depend on this process's wall clock; else answer
   * `uncertain`. Default: false. Decision: `2026-11-30-a-wrong-clock.md`.
   */
  readonly certain?: boolean;
}

/**
 * Removes the sentinel of a scope if every hold in it has expired. Idempotent. By default it tries
 * once for the tenure (`tries: 1`) and waits for no owner. It removes only the file that it
 * examined [1][4]: a successor that took the name in the meantime is given back, and the answer is
 * `superseded`. Throws no errno.
 */
export function retire(
  disk: DiskPort,
  scope: string,
  { tries = 1, certain = false }: RetireOptions = {},
): RetireResult {
  const sentinel = join(scope, SENTINEL);
  const before = inspect(disk, sentinel, disk.now());
  if (before.state !== 'expired') return { retired: false, why: before.state };
  const isOver = ({ state, kept }: Sentinel): boolean =>
    state === 'expired' && !(certain && kept.length > 0);
  if (!isOver(before)) return { retired: false, why: 'uncertain' };
  const kept = (why: string): RetireResult => ({ retired: false, why });
  const retired = (holds: readonly Hold[]): RetireResult => ({ retired: true, holds });

  const answer = withTenure<RetireResult>(
    disk,
    scope,
    { tries, rounds: 1, waitMs: 0 },
    (tenure) => {
      const now = disk.now();
      // INVARIANT 1: examine again UNDER the tenure. The sentinel that was read before may have a
      // successor.
      if (!isOver(inspect(disk, sentinel, now))) return kept('superseded');
      const claim = claimName(tenure.token);
      const code = failureOf(() => disk.rename(sentinel, join(tenure.dir, claim)));
      if (code !== '') return kept(code);
      const claimed = inspect(disk, join(tenure.dir, claim), now);
      if (claimed.state === 'absent') throw new TenureLost();
      if (isOver(claimed)) {
        discardOwn(disk, tenure, claim);
        disk.fsyncDir(scope);
        return retired(claimed.expired);
      }
      giveBack(disk, tenure, claim);
      return kept('superseded');
    },
    kept,
  );
  return answer ?? kept('busy');
}
