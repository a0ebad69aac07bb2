/**
 * Writes what a lift says about missed work, right before the lift, and removes what is left of
 * earlier ones. If the lift does not happen, the file names a hold that still stands and is not
 * read.
 * The format is `choice.ts`.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  opendirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf, failureOf } from '../files/errno.ts';
import { giveToOwner } from '../files/give-to-owner.ts';
import type { JournalOutcome } from '../files/line-file.ts';
import { makeOwnFolder } from '../files/make-folder.ts';
import { makeRecordsFolder, recordModes } from '../files/make-records.ts';
import { withinRecords } from '../files/records-folder.ts';
import { withinFolder } from '../files/walk.ts';
import { MISSED_FOLDER, type MissedChoice, missedName, missedText } from './choice.ts';

/** A gateway reads a choice within seconds of the lift; older ones are only litter. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
const MAX_LOOKED_AT = 1_000;
const WRITE =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_EXCL |
  constants.O_NOFOLLOW |
  constants.O_NONBLOCK;

/**
 * Records the choice for one hold of the scope whose folder is `dir`, and replaces an earlier one.
 * Removes choices that are older than seven days. Returns `written: false` and why instead of
 * throwing an errno: then nobody must be told that the choice was made.
 */
export function writeMissed(
  dir: string,
  chosen: { readonly hold: string; readonly choice: MissedChoice; readonly by: string },
  nowMs = Date.now(),
): JournalOutcome {
  try {
    makeRecordsFolder(dir);
    withinRecords(join(dir, '.fleet'), (records) => {
      makeMissedFolder(records, dir);
      withinFolder(records, [MISSED_FOLDER], (folder) => {
        removeOld(folder, nowMs);
        replace(folder, missedName(chosen.hold), missedText(chosen, nowMs), dir);
      });
    });
    return { written: true };
  } catch (error) {
    return { written: false, why: codeOf(error) };
  }
}

/**
 * Removes the choice for a hold, where there is one. Returns the errno code of a failure, after
 * which it may still be there; '' if there is none now.
 */
export function removeMissed(dir: string, hold: string): string {
  const code = failureOf(() =>
    withinRecords(join(dir, '.fleet'), (records) =>
      withinFolder(records, [MISSED_FOLDER], (folder) =>
        unlinkSync(join(folder, missedName(hold))),
      ),
    ),
  );
  return code === 'ENOENT' || code === 'ENOTDIR' ? '' : code;
}

function makeMissedFolder(records: string, dir: string): void {
  const code = failureOf(() =>
    makeOwnFolder(join(records, MISSED_FOLDER), (fd) => {
      giveToOwner(fd, records);
      fchmodSync(fd, recordModes(dir).folder);
    }),
  );
  if (code !== '' && code !== 'EEXIST') throw Object.assign(new Error(records), { code });
}

function replace(folder: string, name: string, text: string, dir: string): void {
  const next = join(folder, `.${randomBytes(8).toString('hex')}.new`);
  const fd = openSync(next, WRITE, 0o600);
  try {
    failureOf(() => giveToOwner(fd, folder));
    fchmodSync(fd, recordModes(dir).file);
    const bytes = Buffer.from(text);
    if (writeSync(fd, bytes) !== bytes.length) {
      throw Object.assign(new Error(name), { code: 'ENOSPC' });
    }
    fsyncSync(fd);
    renameSync(next, join(folder, name));
  } catch (error) {
    failureOf(() => unlinkSync(next));
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Best effort: what cannot be removed now is removed by a later writer. */
function removeOld(folder: string, nowMs: number): void {
  failureOf(() => {
    const entries = opendirSync(folder);
    try {
      for (let seen = 0; seen < MAX_LOOKED_AT; seen++) {
        const entry = entries.readSync();
        if (entry === null) return;
        const path = join(folder, entry.name);
        failureOf(() => {
          if (lstatSync(path).mtimeMs < nowMs - KEPT_MS) unlinkSync(path);
        });
      }
    } finally {
      entries.closeSync();
    }
  });
}
