/**
 * The folder whose owner may change a scope's sentinel, and how one of its entries is removed.
 * How a tenure is taken and given up is `tenure.ts`.
 */
import { failureOf, meansTaken, required } from '../files/errno.ts';
import { join, ODD } from './names.ts';
import type { DiskPort } from './port.ts';

export interface Tenure {
  readonly token: string;
  /** The scope's folder. */
  readonly scope: string;
  /** `<scope>/.ESTOP.txn/<token>`. */
  readonly dir: string;
  /** Names of non-empty folders that stood in the sentinel's place and were moved beside it. */
  readonly setAside: string[];
}

/** Somebody took the tenure over: every further step of ours fails, and nothing of it counts. */
export class TenureLost extends Error {
  override readonly name = 'TenureLost';
}

/** Removes an entry of the tenure; '' or the errno. A folder with something in it is set aside, never emptied. */
export function discard(disk: DiskPort, tenure: Tenure, name: string): string {
  const path = join(tenure.dir, name);
  const code = failureOf(() => disk.unlink(path));
  if (code !== 'EISDIR' && code !== 'EPERM') return code;
  const full = failureOf(() => disk.rmdir(path));
  if (!meansTaken(full)) return full;
  const aside = ODD + disk.token();
  const moved = failureOf(() => disk.rename(path, join(tenure.scope, aside)));
  if (moved === '') tenure.setAside.push(aside);
  return moved;
}

/**
 * As `discard`, of an entry that must still be there: it is not once we were robbed. One that stays
 * would be given back by whoever settles this tenure, after others were told that it was lifted: so
 * nothing more is done here, and the errno is thrown.
 */
export function discardOwn(disk: DiskPort, tenure: Tenure, name: string): void {
  const code = discard(disk, tenure, name);
  if (code === 'ENOENT') throw new TenureLost();
  required(code);
}
