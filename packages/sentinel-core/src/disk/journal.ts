/**
 * The record of what was done to the fleet's holds: one JSON line each in `.fleet/journal.ndjson`.
 * It explains and never decides: an operation whose line cannot be written has still succeeded.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Actor, Hold } from '../model/hold.ts';
import { formatInstant } from '../model/stamp.ts';
import { codeOf } from './errno.ts';

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

/** Where a root's journal is. */
export const journalPath = (root: string): string => join(root, '.fleet', 'journal.ndjson');

/** Appends one line, by a single write so that lines of several writers do not mix. Never throws an errno. */
export function appendJournal(root: string, entry: JournalEntry, nowMs = Date.now()): Journaled {
  const { event, scope, profile, holds, generation, actor } = entry;
  const line = JSON.stringify({
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
  let fd: number | undefined;
  try {
    const modes = modesIn(root);
    makeFolder(root, modes.folder);
    fd = openJournal(root, modes.file);
    if (!fstatSync(fd).isFile()) return { written: false, why: 'not a regular file' };
    const bytes = Buffer.from(`${line}\n`);
    if (writeSync(fd, bytes) !== bytes.length) return { written: false, why: 'ENOSPC' };
    return { written: true };
  } catch (error) {
    return { written: false, why: codeOf(error) };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
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
