/**
 * Finishes or gives back what a dead owner left, and sweeps stale staging.
 * Every mutator does the first on its way; `fleet doctor` asks for both.
 */
import { codeOf, failureOf } from './errno.ts';
import { join, STAGING, TENURE } from './names.ts';
import type { DiskPort } from './port.ts';
import { acquire, release } from './tenure.ts';

export interface RecoverReport {
  /** No tenure is left. false: its owner is at work, or the folder cannot be changed. */
  readonly settled: boolean;
  /** Names of stale staging that were removed. */
  readonly swept: readonly string[];
  readonly why?: string;
}

/** `force`: take a tenure over although its owner seems alive; always safe, since it is fenced. */
export function recover(
  disk: DiskPort,
  scope: string,
  { force = false }: { force?: boolean } = {},
): RecoverReport {
  const parent = join(scope, TENURE);
  let why: string | undefined;
  try {
    if (disk.lstat(parent) !== null && failureOf(() => disk.rmdir(parent)) !== '') {
      const acquired = acquire(disk, scope, { tries: force ? 6 : 2, force });
      if ('tenure' in acquired) release(disk, acquired.tenure);
      else why = acquired.none;
    }
  } catch (error) {
    why = codeOf(error);
    return { settled: false, swept: [], why };
  }
  const swept = sweep(disk, scope);
  return why === undefined ? { settled: true, swept } : { settled: false, swept, why };
}

/** A tenure being prepared is a folder with one folder in it; a body written without a tenure, a file. */
function sweep(disk: DiskPort, scope: string): string[] {
  const swept: string[] = [];
  let names: string[];
  try {
    names = disk.readdir(scope === '' ? '.' : scope);
  } catch (error) {
    codeOf(error);
    return swept;
  }
  for (const name of names) {
    if (!name.startsWith(STAGING)) continue;
    const path = join(scope, name);
    const token = name.slice(STAGING.length);
    if (!disk.stale(path, token, 0)) continue;
    failureOf(() => disk.rmdir(join(path, token)));
    let code = failureOf(() => disk.rmdir(path));
    if (code === 'ENOTDIR') code = failureOf(() => disk.unlink(path));
    if (code === '') swept.push(name);
  }
  return swept;
}
