/**
 * Makes the folder `.fleet/` of a scope, and says which modes it and its files have.
 * `line-file.ts` and `missed/` write there; `records-folder.ts` opens it.
 */
import { fchmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { failureOf } from './errno.ts';
import { giveToOwner } from './give-to-owner.ts';
import { makeOwnFolder } from './make-folder.ts';

/**
 * Modes of `.fleet/` and its files. They are the owner's alone, unless the folder itself is
 * writable for its group: then every user who may pause there may also write a record.
 */
export function recordModes(dir: string): { readonly folder: number; readonly file: number } {
  const { mode } = statSync(dir);
  const shared = (mode & 0o020) !== 0;
  return shared ? { folder: (mode & 0o2000) | 0o770, file: 0o660 } : { folder: 0o700, file: 0o600 };
}

/** Makes `.fleet/` and sets its mode, since the umask removes bits that a shared fleet needs. */
export function makeRecordsFolder(dir: string): void {
  const folder = join(dir, '.fleet');
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  const code = failureOf(() =>
    makeOwnFolder(folder, (fd) => {
      giveToOwner(fd, dir);
      fchmodSync(fd, recordModes(dir).folder);
    }),
  );
  if (code !== '' && code !== 'EEXIST') throw Object.assign(new Error(folder), { code });
}
