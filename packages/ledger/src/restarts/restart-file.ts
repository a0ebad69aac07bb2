/**
 * The file `.fleet/restart.json` of a home: at most one restart of a profile at a time has it.
 * Links are not followed: other writers of the home could have created them.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
  codeOf,
  type Fate,
  failureOf,
  fateOf,
  giveToOwner,
  makeOwnFolder,
  withFile,
} from '@fleet-estop/sentinel-core';
import { modesIn, syncFolder, WRITE_NEW } from '../in-flight/own-folder.ts';
import { reach } from '../in-flight/reach.ts';
import { parseRestart, type RestartRecord, restartText } from './restart-record.ts';

export const restartPath = (home: string): string => join(home, '.fleet', 'restart.json');

/** Bytes; 256 instances with every character escaped need less. */
const MAX_BYTES = 512 * 1024;

export type RestartRead =
  | { readonly state: 'none' }
  /** `fate`: whether the process of the restart lives; `unknown` where that cannot be seen from here. */
  | { readonly state: 'read'; readonly record: RestartRecord; readonly fate: Fate }
  /** An errno, `not-a-file`, `too-long` or `not-a-record`. */
  | { readonly state: 'unreadable'; readonly why: string };

/** Writes nothing and throws no errno. */
export function readRestart(home: string): RestartRead {
  let text: string;
  try {
    text = reach(home, restartPath(home), textAt);
  } catch (error) {
    const why = codeOf(error);
    return why === 'ENOENT' ? { state: 'none' } : { state: 'unreadable', why };
  }
  const record = parseRestart(text);
  if (record === null) return { state: 'unreadable', why: 'not-a-record' };
  return { state: 'read', record, fate: fateOf(record.mark) };
}

function textAt(path: string): string {
  return withFile(path, (fd, stat) => {
    if (!stat.isFile()) throw Object.assign(new Error(path), { code: 'not-a-file' });
    if (stat.size > MAX_BYTES) throw Object.assign(new Error(path), { code: 'too-long' });
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0));
  });
}

/**
 * Writes the first record of a restart, unless there is one already: of two restarts exactly one begins.
 * Returns ''; `EEXIST`: another record is there; else the errno.
 */
export const beginRestart = (home: string, record: RestartRecord): string =>
  failureOf(() => {
    makeRecords(home);
    writeBeside(home, record, linkSync);
  });

/** Replaces the record of this restart. Returns '' or the errno. */
export const writeRestart = (home: string, record: RestartRecord): string =>
  failureOf(() => writeBeside(home, record, renameSync));

/**
 * Removes the record if it is that of this restart. Returns ''; `ENOENT`: there is none; `not-ours`:
 * another restart's stands there; else the errno.
 */
export function removeRestart(home: string, id: string): string {
  const taken = join(home, '.fleet', `restart.${randomBytes(8).toString('hex')}.taken`);
  return failureOf(() => {
    // Taken first: between a look and an unlink, another restart could begin.
    reach(home, taken, (path) => renameSync(join(dirname(path), 'restart.json'), path));
    const record = parseRestart(reach(home, taken, textAt));
    if (record === null || record.id === id) return reach(home, taken, unlinkSync);
    // If yet another restart has begun meanwhile, the one that was taken has nothing to come back to.
    failureOf(() =>
      reach(home, taken, (path) => linkSync(path, join(dirname(path), 'restart.json'))),
    );
    reach(home, taken, unlinkSync);
    throw Object.assign(new Error(taken), { code: 'not-ours' });
  });
}

function makeRecords(home: string): void {
  const folder = join(home, '.fleet');
  const { folder: mode, isShared } = modesIn(home);
  const code = failureOf(() =>
    makeOwnFolder(folder, (fd) => {
      giveToOwner(fd, home);
      if (isShared) fchmodSync(fd, mode);
    }),
  );
  if (code !== '' && code !== 'EEXIST') throw Object.assign(new Error(folder), { code });
  statSync(folder);
}

function writeBeside(
  home: string,
  record: RestartRecord,
  put: (from: string, to: string) => void,
): void {
  const next = join(home, '.fleet', `restart.${randomBytes(8).toString('hex')}.new`);
  try {
    const fd = reach(home, next, (path) => openSync(path, WRITE_NEW, 0o600));
    try {
      // Whoever watches the fleet must be able to read what a restart by root left.
      giveToOwner(fd, join(home, '.fleet'));
      const { file, isShared } = modesIn(home);
      if (isShared) fchmodSync(fd, file);
      const bytes = Buffer.from(restartText(record));
      if (writeSync(fd, bytes) !== bytes.length) {
        throw Object.assign(new Error(next), { code: 'ENOSPC' });
      }
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    reach(home, next, (path) => put(path, join(dirname(path), 'restart.json')));
    reach(home, restartPath(home), (path) => syncFolder(`${dirname(path)}/.`));
  } finally {
    failureOf(() => reach(home, next, unlinkSync));
  }
}
