/**
 * The files of the single-instance lock in `.fleet/`: the lock folder with its one entry, and the
 * folder that a contender prepares beside it.
 * Who contends, and when, is decided in `contention.ts`.
 */

import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  codeOf,
  failureOf,
  makeOwnFolder,
  removeFolder,
  withFile,
  withinFolder,
} from '@fleet-estop/sentinel-core';
import { asOwnerOf, changeIn } from '../as-owner-of.ts';
import type { Owner } from './owner.ts';

export const LOCK = 'watcher.lock';
const STAGE = '.watcher.lock-';
const ENTRY = 'owner-';
const LEFTOVER_MS = 60_000;
/** Our records have a few hundred bytes. */
const MAX_RECORD_BYTES = 16_384;

export const fleetFolder = (root: string): string => join(root, '.fleet');

/** The process id helps people who list the folder. */
export const entryName = (token: string): string => `${ENTRY}${process.pid}-${token}`;

/** Prepares a folder with our entry and syncs it: after a power cut it must still name us. */
export function stage(folder: string, token: string, owner: Owner): void {
  const dir = join(folder, STAGE + token);
  unstage(folder, token);
  // Other users who share the fleet may take over from us.
  makeOwnFolder(dir, (fd) => fchmodSync(fd, statSync(folder).mode & 0o2770));
  // Follow no link: a user who shares the folder may have put one here.
  const fd = withinFolder(folder, [STAGE + token], (staged) =>
    openSync(join(staged, entryName(token)), 'wx', 0o600),
  );
  try {
    // Everybody who may enter the folder may see who we are, whatever the umask.
    fchmodSync(fd, 0o644);
    writeSync(fd, `${JSON.stringify(owner)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Follows no link: a dead owner's entry is removed from the lock itself, or not at all. */
export const dropEntry = (folder: string, name: string): string =>
  failureOf(() =>
    changeIn(folder, (own) => withinFolder(own, [LOCK], (lock) => unlinkSync(join(lock, name)))),
  );

/** Fails if a successor's entry is in it. */
export const dropLock = (folder: string): string =>
  failureOf(() => changeIn(folder, (own) => rmdirSync(join(own, LOCK))));

export function unstage(folder: string, token: string): void {
  removeFolder(folder, STAGE + token, 1);
}

export function entryIn(lock: string): { readonly name: string; readonly text: string } | null {
  try {
    return withinFolder(dirname(lock), [basename(lock)], (folder) => {
      const name = readdirSync(folder).find((found) => found.startsWith(ENTRY));
      return name === undefined ? null : { name, text: recordIn(join(folder, name)) };
    });
  } catch (error) {
    codeOf(error);
    return null;
  }
}

/** Only a plain file is a record; anything else must not block us. Answers '' if there is none. */
const recordIn = (path: string): string =>
  withFile(path, (fd, stats) => {
    if (!stats.isFile()) return '';
    const bytes = Buffer.alloc(MAX_RECORD_BYTES);
    return bytes.toString('utf8', 0, readSync(fd, bytes));
  });

/** Removes what killed contenders left; a contender that is preparing now is younger. */
export function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/^((\.watcher\.lock|s)-[0-9a-f]{8}|h-[0-9a-f]{7})$/.test(name)) continue;
    failureOf(() => {
      const path = join(folder, name);
      if (Date.now() - lstatSync(path).mtimeMs > LEFTOVER_MS) removeFolder(folder, name, 1);
    });
  }
}

/** Private to its owner, unless the root is group-writable; the journal follows the same rule. */
export function makeFleetFolder(root: string): void {
  const { mode } = statSync(root);
  const folder = fleetFolder(root);
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  asOwnerOf(root, () => {
    try {
      makeOwnFolder(folder, (fd) => {
        if ((mode & 0o020) !== 0) fchmodSync(fd, (mode & 0o2000) | 0o770);
      });
    } catch (error) {
      // Another process was faster, or it is a dangling link: then nothing can be created in it.
      if (codeOf(error) !== 'EEXIST') {
        // Remove a folder that the group cannot use, or the next start would accept it.
        failureOf(() => rmdirSync(folder));
        throw error;
      }
      statSync(folder);
    }
  });
}

/** Renames the prepared folder to the lock. Answers an errno while the lock has an entry. */
export const promote = (folder: string, token: string): string =>
  failureOf(() => changeIn(folder, (own) => renameSync(join(own, STAGE + token), join(own, LOCK))));
