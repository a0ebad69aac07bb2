/**
 * The record of what was done to the fleet's holds: one JSON line each in `.fleet/journal.ndjson`.
 * It explains and never decides: an operation whose line cannot be written has still succeeded.
 * How a full one is moved aside is `journal-rotation.ts`; reading it is `journal-read.ts`.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Actor, Hold } from '../model/hold.ts';
import { formatInstant } from '../model/stamp.ts';
import { codeOf, orNull } from './errno.ts';
import { inodeAt, MAX_JOURNAL_BYTES, type Rotation, rotate } from './journal-rotation.ts';

export interface JournalEntry {
  readonly event: 'arm' | 're-arm' | 'lift' | 'expire' | 'retire';
  /** The scope's folder. */
  readonly scope: string;
  readonly profile?: string;
  readonly holds: readonly Hold[];
  /** Of the body afterwards; null where none is left or none could be read. */
  readonly generation: string | null;
  readonly actor: Actor;
}

export type Journaled =
  | { readonly written: true }
  | { readonly written: false; readonly why: string };

const APPEND =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_NOFOLLOW |
  constants.O_NONBLOCK;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEWLINE = 0x0a;

/** Where a root's journal is. */
export const journalPath = (root: string): string => join(root, '.fleet', 'journal.ndjson');

/**
 * Appends one line, by a single write so that lines of several writers do not mix. A journal that is
 * full is moved aside first. Never throws an errno.
 */
export function appendJournal(
  root: string,
  entry: JournalEntry,
  nowMs = Date.now(),
  rotation: Rotation = {},
): Journaled {
  const line = lineOf(entry, nowMs);
  let fd: number | undefined;
  try {
    const modes = modesIn(root);
    makeFolder(root, modes.folder);
    // Once more only where the file was removed meanwhile, and the line with it.
    for (let tries = 1; ; tries++) {
      fd = openJournal(root, modes.file);
      if (!fstatSync(fd).isFile()) return { written: false, why: 'not a regular file' };
      fd = afterRotation(root, fd, modes.file, rotation);
      const bytes = Buffer.from(`${endsTorn(root, fd) ? '\n' : ''}${line}\n`);
      if (writeSync(fd, bytes) !== bytes.length) return { written: false, why: 'ENOSPC' };
      if (tries === 2 || !isRemoved(root, fd)) return { written: true };
      closeSync(fd);
      fd = undefined;
    }
  } catch (error) {
    return { written: false, why: codeOf(error) };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function lineOf(
  { event, scope, profile, holds, generation, actor }: JournalEntry,
  nowMs: number,
): string {
  return JSON.stringify({
    at: formatInstant(nowMs),
    event,
    scope,
    ...(profile === undefined ? {} : { profile }),
    holds: holds.map(({ id, holder, reason, expiresAt }) => ({
      id,
      holder,
      reason,
      expires_at: expiresAt,
    })),
    generation,
    actor,
  });
}

/** The journal to write into: the one that is open, or where that was full, the new one. */
function afterRotation(root: string, fd: number, mode: number, rotation: Rotation): number {
  const { size, ino } = fstatSync(fd, { bigint: true });
  if (size < (rotation.maxBytes ?? MAX_JOURNAL_BYTES)) return fd;
  rotate(journalPath(root), ino, rotation);
  // Whatever prevents the new one: the line then goes into the old one, wherever that is.
  const fresh = orNull(() => openJournal(root, mode));
  if (fresh === null) return fd;
  const [kept, other] = fstatSync(fresh).isFile() ? [fresh, fd] : [fd, fresh];
  closeSync(other);
  return kept;
}

/** Does it end in half a line, of a writer that was killed or met a full disk? */
function endsTorn(root: string, journal: number): boolean {
  const { ino, size } = fstatSync(journal, { bigint: true });
  if (size === 0n) return false;
  // Not by the handle that writes: opened for reading too, a FIFO would not be refused.
  const fd = orNull(() => openSync(journalPath(root), READ));
  if (fd === null) return false;
  try {
    if (fstatSync(fd, { bigint: true }).ino !== ino) return false;
    const last = Buffer.alloc(1);
    return readSync(fd, last, 0, 1, size - 1n) === 1 && last[0] !== NEWLINE;
  } catch (error) {
    codeOf(error);
    return false;
  } finally {
    closeSync(fd);
  }
}

/** So slow a writer that its file was moved aside, outlived by others, and removed. */
function isRemoved(root: string, fd: number): boolean {
  const { ino, nlink } = fstatSync(fd, { bigint: true });
  return nlink === 0n && inodeAt(journalPath(root)) !== ino;
}

/**
 * `.fleet/` and the journal are the owner's alone, unless the root itself is writable for its group:
 * then whoever may pause there may also leave a record.
 */
function modesIn(root: string): { readonly folder: number; readonly file: number } {
  const { mode } = statSync(root);
  const shared = (mode & 0o020) !== 0;
  return shared ? { folder: (mode & 0o2000) | 0o770, file: 0o660 } : { folder: 0o700, file: 0o600 };
}

/** chmod, since the umask takes bits away that a shared fleet needs. */
function makeFolder(root: string, mode: number): void {
  const folder = join(root, '.fleet');
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  try {
    mkdirSync(folder, 0o700);
    chmodSync(folder, mode);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Opens the journal to append; a new one gets its mode. */
function openJournal(root: string, mode: number): number {
  const path = journalPath(root);
  try {
    const fd = openSync(path, APPEND | constants.O_EXCL, 0o600);
    fchmodSync(fd, mode);
    return fd;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return openSync(path, APPEND, mode);
  }
}
