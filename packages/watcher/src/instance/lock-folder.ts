/**
 * What stands in `.fleet/` for the seat: the lock folder with one entry in it, and what a contender
 * prepares beside it.
 * Who contends, and when, is `instance-lock.ts`.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
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
import { makeOwnFolder, removeFolder, withinFolder } from '@fleet-estop/sentinel-core';
import { asOwnerOf } from '../as-owner-of.ts';
import type { Owner } from './owner.ts';

export const LOCK = 'watcher.lock';
const STAGE = '.watcher.lock-';
const ENTRY = 'owner-';
const LEFTOVER_MS = 60_000;
/** Ours have a few hundred. */
const MAX_RECORD_BYTES = 16_384;

export const fleetFolder = (root: string): string => join(root, '.fleet');

/** The process id is for whoever lists the folder. */
export const entryName = (token: string): string => `${ENTRY}${process.pid}-${token}`;

/** A folder with our entry in it, on disk for good: after a power cut it must still say who we were. */
export function stage(folder: string, token: string, owner: Owner): void {
  const dir = join(folder, STAGE + token);
  unstage(folder, token);
  // Whoever shares the fleet may take over from us.
  makeOwnFolder(dir, (fd) => fchmodSync(fd, statSync(folder).mode & 0o2770));
  // Through no link: whoever shares the folder may have put one in its place.
  const fd = withinFolder(folder, [STAGE + token], (staged) =>
    openSync(join(staged, entryName(token)), 'wx', 0o600),
  );
  try {
    // Whoever may enter the folder may know who we are, whatever the umask.
    fchmodSync(fd, 0o644);
    writeSync(fd, `${JSON.stringify(owner)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Through no link: the entry of a dead owner is removed from the lock itself, or nowhere. */
export const dropEntry = (folder: string, name: string): string =>
  failureOf(() => withinFolder(folder, [LOCK], (lock) => unlinkSync(join(lock, name))));

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

/** What is no plain file is nobody's record, and must not block us: '' is none either. */
function recordIn(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) return '';
    const bytes = Buffer.alloc(MAX_RECORD_BYTES);
    return bytes.toString('utf8', 0, readSync(fd, bytes));
  } finally {
    closeSync(fd);
  }
}

/** What contenders left that were killed; one that prepares right now is younger. */
export function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/^(\.watcher\.lock|s)-[0-9a-f]{8}$/.test(name)) continue;
    failureOf(() => {
      const path = join(folder, name);
      if (Date.now() - lstatSync(path).mtimeMs > LEFTOVER_MS) removeFolder(folder, name, 1);
    });
  }
}

/** The owner's alone, unless the root itself is writable for its group; as the journal has it. */
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
      // Somebody was quicker, or it is a link that leads nowhere: then nothing can be made in it.
      if (codeOf(error) !== 'EEXIST') {
        // One that the group cannot use is not left, or the next start would be content with it.
        failureOf(() => rmdirSync(folder));
        throw error;
      }
      statSync(folder);
    }
  });
}

export function failureOf(step: () => void): string {
  try {
    step();
    return '';
  } catch (error) {
    return codeOf(error);
  }
}

/** Rethrows what is no failed system call: a bug. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  throw error;
}

/** Puts what was staged in the lock's place: an errno, as long as there is an entry in that. */
export const promote = (folder: string, token: string): string =>
  failureOf(() => renameSync(join(folder, STAGE + token), join(folder, LOCK)));
