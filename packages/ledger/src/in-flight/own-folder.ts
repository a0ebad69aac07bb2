/**
 * The folder of an owner: its record, its lease and its prepared claims. It is created with the first
 * piece of work, so that a gateway without work writes nothing.
 * Preparing claims is `fence.ts`.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  lutimesSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf, failureOf, makeOwnFolder } from '@fleet-estop/sentinel-core';
import { claimsFolder, OWNER_FILE, ownersFolder, registerFolder } from './names.ts';
import { reach } from './reach.ts';
import { removeOwner } from './remove-owner.ts';
import { type OwnerRecord, ownerText } from './texts.ts';

export interface OwnFolder {
  readonly path: string;
  /**
   * Renews the lease if it was not renewed recently. `made`: the folder was missing and was created, so
   * existing claims may be gone too. Throws an errno if it cannot be created.
   */
  keep(nowMs: number): 'kept' | 'made';
  /** The folder may be missing: the next `keep` checks. */
  doubt(): void;
  remove(): void;
  makeFolder(path: string): void;
  /** Writes a new file; `durably` syncs it. */
  write(path: string, text: string, durably?: 'durably'): void;
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
export const WRITE_NEW =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export function ownFolder(
  home: string,
  owner: string,
  record: OwnerRecord,
  beatMs: number,
): OwnFolder {
  const path = join(ownersFolder(home), owner);
  // Private until the mode of the home is read.
  let modes = { folder: 0o700, file: 0o600, isShared: false };
  let isMade = false;
  let heardMs = Number.NEGATIVE_INFINITY;

  function make(): void {
    modes = modesIn(home);
    makeAt(join(home, '.fleet'));
    for (const made of [registerFolder(home), claimsFolder(home), ownersFolder(home), path]) {
      folder.makeFolder(made);
      // Never write through a link that somebody created there.
      if (!lstatSync(made).isDirectory()) throw Object.assign(new Error(made), { code: 'ENOTDIR' });
    }
    const next = join(path, `${OWNER_FILE}.new`);
    failureOf(() => reach(home, next, unlinkSync));
    // After a power cut a claim can lose its text; this record then proves that its process is gone.
    folder.write(next, ownerText(record), 'durably');
    reach(home, next, (made) => renameSync(made, join(dirname(made), OWNER_FILE)));
    reach(home, path, syncFolder);
    reach(home, ownersFolder(home), syncFolder);
  }

  function makeAt(made: string): void {
    const code = failureOf(() =>
      makeOwnFolder(made, (fd) => {
        // The umask removes bits that a shared home needs.
        if (modes.isShared) fchmodSync(fd, modes.folder);
      }),
    );
    if (code !== '' && code !== 'EEXIST') throw Object.assign(new Error(made), { code });
  }

  const folder: OwnFolder = {
    path,
    keep(nowMs) {
      // Half a beat, because timers are imprecise.
      if (isMade && Math.abs(nowMs - heardMs) < beatMs / 2) return 'kept';
      const touch = () =>
        reach(home, join(path, OWNER_FILE), (file) =>
          lutimesSync(file, nowMs / 1_000, nowMs / 1_000),
        );
      // If renewing fails for another reason, work is still recorded.
      const isMissing = !isMade || failureOf(touch) === 'ENOENT';
      if (isMissing) {
        isMade = false;
        make();
        isMade = true;
        failureOf(touch);
      }
      heardMs = nowMs;
      return isMissing ? 'made' : 'kept';
    },
    doubt() {
      heardMs = Number.NEGATIVE_INFINITY;
    },
    remove() {
      if (isMade) removeOwner(home, owner);
      isMade = false;
    },
    makeFolder: (made) => reach(home, made, makeAt),
    write(file, text, durably) {
      const fd = reach(home, file, (made) => openSync(made, WRITE_NEW, 0o600));
      try {
        if (modes.isShared) fchmodSync(fd, modes.file);
        const bytes = Buffer.from(text);
        if (writeSync(fd, bytes) !== bytes.length) {
          throw Object.assign(new Error(file), { code: 'ENOSPC' });
        }
        if (durably !== undefined) fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
    },
  };
  return folder;
}

/** Private to the owner unless the home is writable for its group, as with the journal. */
export function modesIn(home: string) {
  const { mode } = statSync(home);
  const isShared = (mode & 0o020) !== 0;
  return { folder: (mode & 0o2000) | 0o770, file: 0o660, isShared };
}

export function syncFolder(path: string): void {
  const fd = openSync(path, FOLDER);
  try {
    fsyncSync(fd);
  } catch (error) {
    // Some file systems refuse to sync a folder.
    codeOf(error);
  } finally {
    closeSync(fd);
  }
}
