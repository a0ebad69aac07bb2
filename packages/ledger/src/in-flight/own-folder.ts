/**
 * The folder of an owner: who it is, when it was heard last, and what it prepares. Made with the
 * first piece of work, so that a gateway without any writes nothing.
 * What is prepared in it is `fence.ts`.
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
import { makeOwnFolder } from '@fleet-estop/sentinel-core';
import { codeOf, failureOf } from './errno.ts';
import { claimsFolder, OWNER_FILE, ownersFolder, registerFolder } from './names.ts';
import { reach } from './reach.ts';
import { removeOwner } from './remove-owner.ts';
import { type OwnerRecord, ownerText } from './texts.ts';

export interface OwnFolder {
  readonly path: string;
  /**
   * It was heard now: says so where it was not said of late. `made`: the folder was not there, and
   * maybe the claims that were made from it are gone too. Throws an errno where it cannot be made.
   */
  keep(nowMs: number): 'kept' | 'made';
  /** It may not be there any more: looks at the next `keep`. */
  doubt(): void;
  remove(): void;
  makeFolder(path: string): void;
  /** A new file. */
  write(path: string, text: string, durably?: 'durably'): void;
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const WRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export function ownFolder(
  home: string,
  owner: string,
  record: OwnerRecord,
  beatMs: number,
): OwnFolder {
  const path = join(ownersFolder(home), owner);
  // Nobody else's, until it is known whether the home is shared with a group.
  let modes = { folder: 0o700, file: 0o600, isShared: false };
  let isMade = false;
  let heardMs = Number.NEGATIVE_INFINITY;

  function make(): void {
    modes = modesIn(home);
    makeAt(join(home, '.fleet'));
    for (const made of [registerFolder(home), claimsFolder(home), ownersFolder(home), path]) {
      folder.makeFolder(made);
      // Not elsewhere, through a link that somebody has put there.
      if (!lstatSync(made).isDirectory()) throw Object.assign(new Error(made), { code: 'ENOTDIR' });
    }
    const next = join(path, `${OWNER_FILE}.new`);
    failureOf(() => reach(home, next, unlinkSync));
    // After a power cut a claim may have lost its text: then this says that all has ended.
    folder.write(next, ownerText(record), 'durably');
    reach(home, next, (made) => renameSync(made, join(dirname(made), OWNER_FILE)));
    reach(home, path, syncFolder);
    reach(home, ownersFolder(home), syncFolder);
  }

  function makeAt(made: string): void {
    const code = failureOf(() =>
      makeOwnFolder(made, (fd) => {
        // The umask takes bits away that a shared home needs.
        if (modes.isShared) fchmodSync(fd, modes.folder);
      }),
    );
    if (code !== '' && code !== 'EEXIST') throw Object.assign(new Error(made), { code });
  }

  const folder: OwnFolder = {
    path,
    keep(nowMs) {
      // Half a beat, since timers are late and early.
      if (isMade && Math.abs(nowMs - heardMs) < beatMs / 2) return 'kept';
      const touch = () =>
        reach(home, join(path, OWNER_FILE), (file) =>
          lutimesSync(file, nowMs / 1_000, nowMs / 1_000),
        );
      // A lease that cannot be renewed for another reason does not keep work from being recorded.
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
      const fd = reach(home, file, (made) => openSync(made, WRITE, 0o600));
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

/** The owner's alone, unless the home itself is writable for its group; as the journal has it. */
function modesIn(home: string) {
  const { mode } = statSync(home);
  const isShared = (mode & 0o020) !== 0;
  return { folder: (mode & 0o2000) | 0o770, file: 0o660, isShared };
}

function syncFolder(path: string): void {
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
