/**
 * What stands in `.fleet/` for the seat: the lock folder with one entry in it, and what a contender
 * prepares beside it.
 * Who contends, and when, is `seat.ts`.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
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
  mkdirSync(dir, 0o700);
  // Whoever shares the fleet may take over from us.
  chmodSync(dir, statSync(folder).mode & 0o2770);
  const fd = openSync(join(dir, entryName(token)), 'wx', 0o600);
  try {
    // Whoever may enter the folder may know who we are, whatever the umask.
    fchmodSync(fd, 0o644);
    writeSync(fd, `${JSON.stringify(owner)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export function unstage(folder: string, token: string): void {
  rmSync(join(folder, STAGE + token), { recursive: true, force: true });
}

export function entryIn(lock: string): { readonly name: string; readonly text: string } | null {
  try {
    const name = readdirSync(lock).find((found) => found.startsWith(ENTRY));
    return name === undefined ? null : { name, text: recordIn(join(lock, name)) };
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
      if (Date.now() - lstatSync(path).mtimeMs > LEFTOVER_MS) rmSync(path, { recursive: true });
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
      mkdirSync(folder, 0o700);
    } catch (error) {
      // Somebody was quicker, or it is a link that leads nowhere: then nothing can be made in it.
      if (codeOf(error) !== 'EEXIST') throw error;
      statSync(folder);
      return;
    }
    if ((mode & 0o020) !== 0) chmodSync(folder, (mode & 0o2000) | 0o770);
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
