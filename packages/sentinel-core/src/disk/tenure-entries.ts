/**
 * Defines the tenure, the folder whose owner may change a scope's sentinel, and removes its
 * entries.
 * `tenure.ts` acquires and releases it.
 */
import { failureOf, meansTaken, required } from '../files/errno.ts';
import { join, ODD } from './names.ts';
import type { DiskPort } from './port.ts';

/** A tenure that this process holds. */
export interface Tenure {
  readonly token: string;
  /** The scope's folder. */
  readonly scope: string;
  /** `<scope>/.ESTOP.txn/<token>`. */
  readonly dir: string;
  /**
   * Names of non-empty folders that were found in the place of the sentinel and were moved beside
   * it.
   */
  readonly setAside: string[];
}

/**
 * Another owner took the tenure over. Every further step of ours fails, and nothing of it counts.
 */
export class TenureLost extends Error {
  override readonly name = 'TenureLost';
}

/**
 * Removes an entry of the tenure; returns '' or the errno. A folder with entries is never emptied
 * but moved beside the sentinel.
 */
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
 * Removes an entry that must still be there. If it is missing, the tenure was taken over, and
 * `TenureLost` is thrown. An entry that cannot be removed would be given back by the next settler
 * of this tenure, after its lift was reported. So its errno is thrown, and nothing more is done
 * here.
 */
export function discardOwn(disk: DiskPort, tenure: Tenure, name: string): void {
  const code = discard(disk, tenure, name);
  if (code === 'ENOENT') throw new TenureLost();
  required(code);
}
