/**
 * Finishes or gives back what a dead owner left, and sweeps stale staging.
 * Every mutator does the first on its way; `fleet doctor` asks for both.
 */
import { codeOf, failureOf } from '../files/errno.ts';
import { join, STAGING, TENURE } from './names.ts';
import { type DiskPort, MAX_STAGED } from './port.ts';
import { acquire, release } from './tenure.ts';

/** Far more than ever stand side by side; bounds the work. */
const MAX_TENURES = 16;
/** Each of `MAX_STAGED`; bounds the work where somebody makes them as fast as they are removed. */
const MAX_SWEEPS = 64;

export interface RecoverReport {
  /** No tenure is left. false: its owner is at work, or the folder cannot be changed. */
  readonly settled: boolean;
  /** Names of stale staging that were removed. */
  readonly swept: readonly string[];
  /** Names of non-empty folders that stood in the sentinel's place and were moved beside it. */
  readonly setAside?: readonly string[];
  readonly why?: string;
}

/** `force`: take a tenure over although its owner seems alive; always safe, since it is fenced. */
export function recover(
  disk: DiskPort,
  scope: string,
  { force = false }: { force?: boolean } = {},
): RecoverReport {
  const parent = join(scope, TENURE);
  const setAside: string[] = [];
  let why: string | undefined;
  try {
    // There is one tenure. More than one were made by hand, and are settled one after the other.
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
    // The list of them was whole, or what is left cannot be removed.
    if (removed.length < MAX_STAGED) break;
  }
  const shared = setAside.length === 0 ? { swept } : { swept, setAside };
  return why === undefined ? { settled: true, ...shared } : { settled: false, ...shared, why };
}

/** A tenure being prepared is a folder with one folder in it; a body written without a tenure, a file. */
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
