/**
 * Finishes or gives back what a dead owner left in a tenure, and removes stale staging.
 * Every operation that changes a sentinel does the first on its way (`tenure.ts`); `fleet doctor`
 * requests both.
 */
import { codeOf, failureOf } from '../files/errno.ts';
import { join, STAGING, TENURE } from './names.ts';
import { type DiskPort, MAX_STAGED } from './port.ts';
import { acquire, release } from './tenure.ts';

/** Bounds the work: far more tenures than ever exist side by side. */
const MAX_TENURES = 16;
/**
 * Bounds the work where somebody creates staging as fast as it is removed. Each sweep removes up to
 * `MAX_STAGED` names.
 */
const MAX_SWEEPS = 64;

/** What `recover` did. `why`, only if not settled: `busy` or the errno that stopped it. */
export interface RecoverReport {
  /** true: no tenure is left. false: its owner is at work, or the folder cannot be changed. */
  readonly settled: boolean;
  /** Names of the stale staging that was removed. */
  readonly swept: readonly string[];
  /**
   * Names of non-empty folders that were found in the place of the sentinel and were moved beside
   * it.
   */
  readonly setAside?: readonly string[];
  readonly why?: string;
}

/**
 * Finishes what dead owners left in the scope's folder `scope`, and removes stale staging. `force`
 * also takes a tenure over whose owner seems alive; that is always safe, since the old owner is
 * fenced. Default: `force: false`. An owner at work is not waited for (`settled: false`, `why:
 * 'busy'`). No hold in force is lost [4]. Throws no errno.
 */
export function recover(
  disk: DiskPort,
  scope: string,
  { force = false }: { force?: boolean } = {},
): RecoverReport {
  const parent = join(scope, TENURE);
  const setAside: string[] = [];
  let why: string | undefined;
  try {
    // There is normally one tenure. Further ones were made by hand and are settled one after the
    // other.
    for (let left = MAX_TENURES; disk.lstat(parent) !== null; left--) {
      if (failureOf(() => disk.rmdir(parent)) === '') break;
      const acquired = acquire(disk, scope, { tries: force ? 6 : 2, waitMs: 0, force });
      if ('tenure' in acquired) {
        release(disk, acquired.tenure);
        setAside.push(...acquired.tenure.setAside);
      } else if (acquired.none !== 'robbed') {
        why = acquired.none;
      }
      if (why !== undefined || left === 0) {
        why ??= 'busy';
        break;
      }
    }
  } catch (error) {
    return { settled: false, swept: [], why: codeOf(error) };
  }
  const swept: string[] = [];
  for (let round = 0; round < MAX_SWEEPS; round++) {
    const removed = sweep(disk, scope, force);
    swept.push(...removed);
    // The list was complete, or the rest cannot be removed.
    if (removed.length < MAX_STAGED) break;
  }
  const shared = setAside.length === 0 ? { swept } : { swept, setAside };
  return why === undefined ? { settled: true, ...shared } : { settled: false, ...shared, why };
}

/**
 * Removes stale staging. A tenure in preparation is a folder with one folder in it; a body written
 * without a tenure is a file.
 */
function sweep(disk: DiskPort, scope: string, force: boolean): string[] {
  const swept: string[] = [];
  let names: string[];
  try {
    names = disk.staged(scope, STAGING);
  } catch (error) {
    codeOf(error);
    return swept;
  }
  for (const name of names) {
    const path = join(scope, name);
    const token = name.slice(STAGING.length);
    if (!force && !disk.stale(path, token, 0)) continue;
    failureOf(() => disk.rmdir(join(path, token)));
    let code = failureOf(() => disk.rmdir(path));
    if (code === 'ENOTDIR') code = failureOf(() => disk.unlink(path));
    if (code === '') swept.push(name);
  }
  return swept;
}
