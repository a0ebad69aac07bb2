/**
 * Reads the lines that `line-file.ts` wrote, oldest first, rotated files included, in chunks. A
 * line that cannot be read is reported, never guessed.
 * The caller interprets a line.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf, meansAbsent, orNull } from './errno.ts';
import { type Segment, segmentsOf } from './line-rotation.ts';
import { withinRecords } from './records-folder.ts';

/** One result of reading lines: a record, a corrupt line, or a file that could not be read. */
export type LineRead<T> =
  | { readonly kind: 'record'; readonly record: T }
  | {
      readonly kind: 'corrupt';
      /** The file's name, and the line's number in it, from 1. */
      readonly file: string;
      readonly line: number;
      /** `not-utf8`, `not-json`, `not-a-record`, `too-long`, or `unfinished` (without an end). */
      readonly why: CorruptLine;
    }
  /**
   * A whole file or the rest of it could not be read: errno, `not-a-file`, `link-of-another` or
   * `too-large`. `too-many`: this file and all older ones were not read. The lines in them are
   * unknown.
   */
  | { readonly kind: 'unreadable'; readonly file: string; readonly why: string };

/** Why a line is corrupt. */
export type CorruptLine = 'not-utf8' | 'not-json' | 'not-a-record' | 'too-long' | 'unfinished';

/** Options of `readLines`. */
export interface ReadLinesOptions {
  /**
   * Skips rotated files whose last line is older. Milliseconds since the epoch. Default: no limit.
   */
  readonly sinceMs?: number;
  /** Reads at most this many bytes of each file. Default: no limit. */
  readonly maxBytes?: number;
  /** Reads at most this many of the newest rotated files. Default: all. */
  readonly maxFiles?: number;
}

/** Turns the value of a line into a record; null: it is not a record. */
export type ParseLine<T> = (value: unknown) => T | null;

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 64 * 1024;
/**
 * Bytes. Longer than any line of ours: all holds of one body with every character escaped are
 * shorter.
 */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The lines at `path`, oldest first; none if there is no such file. Lines that are written
 * meanwhile may be missing, and none appears twice. Throws no errno. Memory is bounded.
 */
export function* readLines<T>(
  path: string,
  parse: ParseLine<T>,
  { sinceMs = -Infinity, maxBytes = Infinity, maxFiles = Infinity }: ReadLinesOptions = {},
): Generator<LineRead<T>, void, undefined> {
  // Open the newest file first and read it last: it stays open if it is rotated meanwhile.
  const current = open(path);
  try {
    let segments: Segment[] = [];
    try {
      segments = segmentsOf(path);
    } catch (error) {
      const why = codeOf(error);
      const isReported = !meansAbsent(why) && !(typeof current === 'string' && current === why);
      if (isReported) yield { kind: 'unreadable', file: basename(dirname(path)), why };
    }
    const passedOver = segments[segments.length - maxFiles - 1];
    if (passedOver !== undefined) {
      yield { kind: 'unreadable', file: basename(passedOver.path), why: 'too-many' };
      segments = segments.slice(-maxFiles);
    }
    for (const segment of segments) {
      const fd = open(segment.path);
      // It was pruned since it was listed.
      if (fd === 'ENOENT') continue;
      if (typeof fd === 'string') {
        yield { kind: 'unreadable', file: basename(segment.path), why: fd };
        continue;
      }
      try {
        // The current file was rotated between the two looks. Newer files began after it.
        if (typeof current === 'number' && isSame(fd, current)) break;
        if (fstatSync(fd).mtimeMs < sinceMs) continue;
        yield* linesIn(fd, basename(segment.path), parse, maxBytes);
      } finally {
        closeSync(fd);
      }
    }
    if (typeof current === 'number') yield* linesIn(current, basename(path), parse, maxBytes);
    else if (!meansAbsent(current))
      yield { kind: 'unreadable', file: basename(path), why: current };
  } finally {
    if (typeof current === 'number') closeSync(current);
  }
}

/** A file descriptor, or why it could not be opened. */
function open(path: string): number | string {
  try {
    const fd = withinRecords(dirname(path), (folder) =>
      openSync(join(folder, basename(path)), READ),
    );
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
    return 'not-a-file';
  } catch (error) {
    return codeOf(error);
  }
}

function isSame(a: number, b: number): boolean {
  const [one, other] = [fstatSync(a, { bigint: true }), fstatSync(b, { bigint: true })];
  return one.ino === other.ino && one.dev === other.dev;
}

function* linesIn<T>(
  fd: number,
  file: string,
  parse: ParseLine<T>,
  maxBytes: number,
): Generator<LineRead<T>, void, undefined> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let line = 1;
  let parts: Buffer[] = [];
  let length = 0;
  let total = 0;
  const take = (): LineRead<T> | null => {
    const bytes = Buffer.concat(parts);
    const read = length > MAX_LINE_BYTES ? 'too-long' : parsed(bytes, parse);
    const number = line++;
    parts = [];
    length = 0;
    if (read === null) return null;
    return typeof read === 'string'
      ? { kind: 'corrupt', file, line: number, why: read }
      : { kind: 'record', record: read.record };
  };
  for (;;) {
    let got: number;
    try {
      got = readSync(fd, chunk, 0, CHUNK_BYTES, null);
    } catch (error) {
      yield { kind: 'unreadable', file, why: codeOf(error) };
      return;
    }
    if (got === 0) break;
    total += got;
    if (total > maxBytes) {
      yield { kind: 'unreadable', file, why: 'too-large' };
      return;
    }
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1 && end < got; ) {
      add(chunk.subarray(from, end));
      const read = take();
      if (read !== null) yield read;
      from = end + 1;
      end = chunk.indexOf(NEWLINE, from);
    }
    add(chunk.subarray(from, got));
  }
  if (length > 0) yield { kind: 'corrupt', file, line, why: 'unfinished' };

  /** Keeps only the length of a line that is too long. */
  function add(part: Buffer): void {
    length += part.length;
    if (length > MAX_LINE_BYTES) parts = [];
    else if (part.length > 0) parts.push(Buffer.from(part));
  }
}

/** null: an empty line. Two writers that repair a torn line at once leave one. */
function parsed<T>(
  bytes: Buffer,
  parse: ParseLine<T>,
): { readonly record: T } | CorruptLine | null {
  if (bytes.length === 0) return null;
  const text = orNull(() => utf8.decode(bytes));
  if (text === null) return 'not-utf8';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not-json';
  }
  const record = parse(value);
  return record === null ? 'not-a-record' : { record };
}
