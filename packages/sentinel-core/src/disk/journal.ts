/**
 * The record of what was done to the fleet's holds: one JSON line each in `.fleet/journal.ndjson`.
 * It explains and never decides: an operation whose line cannot be written has still succeeded.
 */
import { closeSync, constants, fstatSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
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

export type Journaled = { readonly written: true } | { readonly written: false; readonly why: string };

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
    makeFolder(root);
    fd = openSync(journalPath(root), APPEND, 0o600);
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

function makeFolder(root: string): void {
  const folder = join(root, '.fleet');
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
