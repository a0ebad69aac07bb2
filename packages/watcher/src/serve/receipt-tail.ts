/**
 * Reads the newest receipts of one home from the end of its files, so the cost does not depend on
 * the number of refusals. The input is hostile until parsed: reads are bounded, never block, and
 * follow no link at the end of a path.
 * Grouping and redaction are `refusals.ts` and `redaction.ts`; `readReceipts` of the ledger reads
 * all receipts.
 */

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Receipt, receiptsPath } from '@fleet-estop/ledger';
import { codeOf, formatInstant, meansAbsent, parseStamp } from '@fleet-estop/sentinel-core';

/**
 * A receipt as it is served. Its own `profile` is dropped: the home in which it was found counts.
 */
export interface TailReceipt extends Omit<Receipt, 'profile'> {
  /** Length of its line. */
  readonly bytes: number;
}

export interface ReceiptTail {
  /** Newest first. */
  readonly receipts: readonly TailReceipt[];
  /** Number of lines that are not receipts. */
  readonly corrupt: number;
  /** `<file>: <errno, not-a-file or too-many>`: there may be more than was read. */
  readonly unreadable: string | null;
  /** Older lines exist that were not read. */
  readonly isCut: boolean;
  /** Number of bytes read. */
  readonly bytes: number;
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEWLINE = 0x0a;
/** Longer than any receipt line, even with every character escaped. */
const MAX_LINE_BYTES = 64 * 1024;
/** More than writers keep; the folder has few other entries. */
const MAX_FILES = 16;
const MAX_ENTRIES = 4_096;
/** In characters and ids; the same bounds as the writers'. */
const MAX_NAME = 256;
const MAX_ID = 128;
const MAX_IDS = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads lines of at most `maxBytes`. Never throws an errno. */
export function readReceiptTail(home: string, maxBytes: number): ReceiptTail {
  const path = receiptsPath(home);
  const receipts: TailReceipt[] = [];
  let corrupt = 0;
  let unreadable: string | null = null;
  let isCut = false;
  let bytes = 0;
  const markUnreadable = (name: string, why: string): void => {
    unreadable ??= `${name}: ${why}`;
  };
  const addReceipts = (fd: number, name: string): void => {
    try {
      const read = readEnd(fd, maxBytes - bytes);
      bytes += read.bytes.length;
      isCut = read.isCut;
      corrupt += linesIn(read.bytes, receipts);
    } catch (error) {
      markUnreadable(name, codeOf(error));
    }
  };

  // Opened before the rotated files are listed: a rotation in between keeps it open.
  const current = open(path);
  try {
    if (typeof current === 'number') addReceipts(current, basename(path));
    else if (!meansAbsent(current)) markUnreadable(basename(path), current);
    const older = isCut ? [] : rotatedFiles(path, current);
    if (typeof older === 'string') markUnreadable(basename(dirname(path)), older);
    for (const name of typeof older === 'string' ? [] : older.slice(0, MAX_FILES)) {
      if (isCut) break;
      const fd = open(join(dirname(path), name));
      // Removed meanwhile, since it was too old.
      if (fd === 'ENOENT') continue;
      if (typeof fd === 'string') {
        markUnreadable(name, fd);
        continue;
      }
      try {
        addReceipts(fd, name);
      } finally {
        closeSync(fd);
      }
    }
    if (older.length > MAX_FILES && typeof older !== 'string') isCut = true;
  } finally {
    if (typeof current === 'number') closeSync(current);
  }
  // The clock may have been set between two lines.
  receipts.sort((a, b) => b.atMs - a.atMs);
  return { receipts, corrupt, unreadable, isCut, bytes };
}

/** Names of files that were rotated before `current` was begun, newest first; or an errno. */
function rotatedFiles(path: string, current: number | string): readonly string[] | string {
  const folder = dirname(path);
  const found: { readonly name: string; readonly number: number }[] = [];
  try {
    const dir = opendirSync(folder);
    try {
      let left = MAX_ENTRIES;
      for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
        if (left-- === 0) return 'too-many';
        const number = /^refused\.([1-9]\d{0,8})\.ndjson$/.exec(entry.name)?.[1];
        if (number !== undefined) found.push({ name: entry.name, number: Number(number) });
      }
    } finally {
      dir.closeSync();
    }
  } catch (error) {
    const why = codeOf(error);
    // The error for the file itself was already recorded.
    return meansAbsent(why) || why === current ? [] : why;
  }
  const names = found.sort((a, b) => b.number - a.number).map(({ name }) => name);
  if (typeof current === 'string') return names;
  // Rotated since it was opened: files with a greater number are newer.
  const { dev, ino } = fstatSync(current);
  const itself = names.findIndex((name) => {
    const entry = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return entry?.ino === ino && entry.dev === dev;
  });
  return names.slice(itself + 1);
}

/** A file descriptor, or why the file cannot be opened. */
function open(path: string): number | string {
  try {
    const fd = openSync(path, READ);
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
    return 'not-a-file';
  } catch (error) {
    return codeOf(error);
  }
}

/** Whole lines from the end of the file, at most this many bytes. */
function readEnd(fd: number, most: number): { readonly bytes: Buffer; readonly isCut: boolean } {
  const { size } = fstatSync(fd);
  const from = Math.max(0, size - most);
  // One byte more, to see whether a line begins there.
  const start = Math.max(0, from - 1);
  const buffer = Buffer.allocUnsafe(size - start);
  let got = 0;
  while (got < buffer.length) {
    const more = readSync(fd, buffer, got, buffer.length - got, start + got);
    if (more === 0) break;
    got += more;
  }
  const bytes = buffer.subarray(0, got);
  if (from === 0) return { bytes, isCut: false };
  const end = bytes.indexOf(NEWLINE);
  return { bytes: end === -1 ? bytes.subarray(got) : bytes.subarray(end + 1), isCut: true };
}

/** Adds receipts, newest first. Answers how many lines are invalid. */
function linesIn(bytes: Buffer, receipts: TailReceipt[]): number {
  let corrupt = 0;
  let end = bytes.length;
  while (end > 0) {
    const start = bytes.lastIndexOf(NEWLINE, end - 1) + 1;
    // Two writers that repair a torn line at once leave an empty one.
    if (start < end) {
      // A last line without an end is torn, or being written.
      const isWhole = bytes[end] === NEWLINE && end - start <= MAX_LINE_BYTES;
      const receipt = isWhole ? receiptIn(bytes.subarray(start, end)) : null;
      if (receipt === null) corrupt += 1;
      else receipts.push(receipt);
    }
    end = start - 1;
  }
  return corrupt;
}

function receiptIn(line: Buffer): TailReceipt | null {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(line));
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { at, door, principal, profile, holds, pid, instance } = value as Record<string, unknown>;
  const atMs = typeof at === 'string' ? instantOf(at) : null;
  if (atMs === null || typeof door !== 'string') return null;
  if (typeof profile !== 'string' || !Array.isArray(holds)) return null;
  return {
    at: formatInstant(atMs),
    atMs,
    door: cut(door, MAX_NAME),
    principal: typeof principal === 'string' ? cut(principal, MAX_NAME) : null,
    holds: holds
      .slice(0, MAX_IDS)
      .filter((id) => typeof id === 'string')
      .map((id) => cut(id, MAX_ID)),
    pid: typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0 ? pid : 0,
    instance: typeof instance === 'string' ? cut(instance, MAX_NAME) : '',
    bytes: line.length,
  };
}

/** null: the stamp cannot be formatted again. */
function instantOf(text: string): number | null {
  const micros = parseStamp(text);
  if (micros === null) return null;
  const ms = Number(micros / 1000n);
  try {
    formatInstant(ms);
    return ms;
  } catch {
    return null;
  }
}

/** Never cuts inside a surrogate pair. */
const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
