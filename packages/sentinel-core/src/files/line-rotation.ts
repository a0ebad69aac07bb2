/**
 * Rotates a full file of lines: moves it aside under the next number, `<name>.<n>.ndjson`, and
 * removes the oldest. The greatest number is the newest. Nothing here opens a file of lines.
 * `line-file.ts` writes the lines. Decision: `2026-11-29-journal-rotation.md`.
 *
 * Numbers grow and are never shifted. To shift is to rename over names that another writer may be
 * shifting too, and a writer that wakes up late would put a young file over the lines of an older
 * one.
 *
 * INVARIANT: no rename replaces lines. The target of a rename is an empty file that this process
 * made, and a process that finds a number taken uses the next one.
 */
import {
  closeSync,
  constants,
  lstatSync,
  opendirSync,
  openSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf, failureOf, orNull } from './errno.ts';

/** When a file of lines is rotated, and how many rotated files are kept. */
export interface Rotation {
  /** Bytes. A file that has reached this size is rotated before the next line. Default: 4 MiB. */
  readonly maxBytes?: number;
  /** Number of rotated files to keep. Default: 4. */
  readonly keep?: number;
}

/** Bytes. About ten thousand lines of the journal. */
export const MAX_BYTES = 4 * 1024 * 1024;
const KEPT = 4;

/** Attempts to reserve a number. Few writers take the same number at the same moment. */
const TRIES = 16;

/** A rotated file. */
export interface Segment {
  readonly number: number;
  readonly path: string;
}

/**
 * The rotated files of `file`, oldest first. Throws an errno if the folder cannot be read, and the
 * code `too-many` if it has more than `maxEntries` entries.
 */
export function segmentsOf(file: string, maxEntries = Infinity): Segment[] {
  const folder = dirname(file);
  const stem = basename(file, '.ndjson');
  const found: Segment[] = [];
  let entries = 0;
  const dir = opendirSync(folder);
  try {
    for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
      if (++entries > maxEntries) throw Object.assign(new Error(folder), { code: 'too-many' });
      const middle = /^(.+)\.([1-9]\d{0,8})\.ndjson$/.exec(entry.name);
      if (middle?.[1] !== stem) continue;
      found.push({ number: Number(middle[2]), path: join(folder, entry.name) });
    }
  } finally {
    dir.closeSync();
  }
  return found.sort((a, b) => a.number - b.number);
}

/**
 * Rotates the file if it still has this inode. Throws no errno: a file that cannot be rotated only
 * grows longer.
 */
export function rotate(
  file: string,
  ino: bigint,
  { maxBytes = MAX_BYTES, keep = KEPT }: Rotation = {},
): void {
  failureOf(() => {
    let target = reserve(file);
    if (inodeAt(file) !== ino || failureOf(() => renameSync(file, target)) !== '') {
      giveUp(target);
      return;
    }
    if (inodeAt(target) !== ino) {
      // Another writer was quicker, and we moved its new file. That file is younger than the number
      // reserved before it existed, so it needs a later number.
      const later = reserve(file);
      if (failureOf(() => renameSync(target, later)) === '') target = later;
      else giveUp(later);
    }
    prune(file, maxBytes, keep);
  });
}

/** Makes an empty file under the next number. No other process renames over it. */
function reserve(file: string): string {
  const stem = file.slice(0, -'.ndjson'.length);
  let number = (segmentsOf(file).at(-1)?.number ?? 0) + 1;
  for (let tries = 1; ; tries++, number++) {
    const path = `${stem}.${number}.ndjson`;
    try {
      closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
      return path;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || tries === TRIES) throw error;
    }
  }
}

function giveUp(reserved: string): void {
  if (orNull(() => lstatSync(reserved))?.size === 0) failureOf(() => unlinkSync(reserved));
}

/**
 * Removes rotated files older than the newest `keep`. It also counts bytes: when writers collide a
 * file can be short, and it must not push out a long one.
 */
function prune(file: string, maxBytes: number, keep: number): void {
  let newer = 0;
  let newerBytes = 0;
  for (const { path } of segmentsOf(file).reverse()) {
    if (newer >= keep && newerBytes >= keep * maxBytes) {
      failureOf(() => unlinkSync(path));
      continue;
    }
    newer += 1;
    newerBytes += orNull(() => lstatSync(path))?.size ?? 0;
  }
}

/** The inode at `path`; null: nothing is there. */
export const inodeAt = (path: string): bigint | null =>
  lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
