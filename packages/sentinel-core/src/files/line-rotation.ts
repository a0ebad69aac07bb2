/**
 * Moves a full file of lines aside under the next number, `<name>.<n>.ndjson`, and removes what is
 * older than we keep. The greatest number is the newest.
 * What is written into one is `line-file.ts`; nothing here opens one.
 *
 * Numbers grow, and nothing is ever shifted: to shift is to rename over names that another writer may
 * be shifting too, and one that wakes up late would put a young file over an older one's lines.
 *
 * INVARIANT: no rename lands on lines. Its target is an empty file that this very process made, and
 * whoever finds a number taken takes the next.
 */
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf, failureOf, orNull } from './errno.ts';

export interface Rotation {
  /** A file that has reached this size is moved aside before the next line. */
  readonly maxBytes?: number;
  /** How many full ones stay. */
  readonly keep?: number;
}

/** Some ten thousand lines of the journal. */
export const MAX_BYTES = 4 * 1024 * 1024;
const KEPT = 4;

/** Writers that take the same number at the same moment are few. */
const TRIES = 16;

/** A file that was moved aside. */
export interface Segment {
  readonly number: number;
  readonly path: string;
}

/** Oldest first. Throws an errno where the folder cannot be read. */
export function segmentsOf(file: string): Segment[] {
  const folder = dirname(file);
  const stem = basename(file, '.ndjson');
  const found: Segment[] = [];
  for (const name of readdirSync(folder)) {
    const middle = /^(.+)\.([1-9]\d{0,8})\.ndjson$/.exec(name);
    if (middle?.[1] !== stem) continue;
    found.push({ number: Number(middle[2]), path: join(folder, name) });
  }
  return found.sort((a, b) => a.number - b.number);
}

/**
 * Moves the file aside if it is still the one with this inode. Throws no errno: one that cannot be
 * rotated is a longer one, and no more than that.
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
      // Another writer was quicker, and what we moved is its successor: it is younger than the number
      // that was reserved before it was there.
      const later = reserve(file);
      if (failureOf(() => renameSync(target, later)) === '') target = later;
      else giveUp(later);
    }
    prune(file, maxBytes, keep);
  });
}

/** An empty file under the next number, which nobody else will rename over. */
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
 * Removes what is older than the newest `keep`. By their bytes, too: where writers were at odds, a
 * segment can be short, and must not push out a long one.
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

/** null: nothing is there. */
export const inodeAt = (path: string): bigint | null =>
  lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
