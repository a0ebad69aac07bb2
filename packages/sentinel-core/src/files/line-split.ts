/**
 * Opens a file of lines, and splits its bytes into records. The content is hostile until it is
 * parsed: memory is bounded, and a line that cannot be read is reported, never guessed.
 * `line-read.ts` reads whole files, `line-tail.ts` what is appended to one.
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf, orNull } from './errno.ts';
import { READ_SAFELY } from './open.ts';
import { withinRecords } from './records-folder.ts';

/** A record, or a corrupt line. */
export type SplitLine<T> =
  | { readonly kind: 'record'; readonly record: T }
  | {
      readonly kind: 'corrupt';
      /** The file's name, and the line's number among the lines that were read of it, from 1. */
      readonly file: string;
      readonly line: number;
      /** `not-utf8`, `not-json`, `not-a-record`, `too-long`, or `unfinished` (without an end). */
      readonly why: CorruptLine;
    };

/** Why a line is corrupt. */
export type CorruptLine = 'not-utf8' | 'not-json' | 'not-a-record' | 'too-long' | 'unfinished';

/** Turns the value of a line of this many bytes into a record; null: it is not a record. */
export type ParseLine<T> = (value: unknown, bytes: number) => T | null;

export interface LineSplitter<T> {
  /** The lines that end in these bytes, which follow those of the last call. */
  add(bytes: Buffer): Generator<SplitLine<T>, void, undefined>;
  /** The line that has no end; null: the last one has. */
  unfinished(): SplitLine<T> | null;
}

/**
 * Bytes. Longer than any line of ours: all holds of one body with every character escaped are
 * shorter.
 */
export const MAX_LINE_BYTES = 1024 * 1024;
export const CHUNK_BYTES = 64 * 1024;
export const NEWLINE = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A file descriptor for reading, or why the file cannot be read: errno, `not-a-file` or `link-of-another`. */
export function openForLines(path: string): number | string {
  try {
    const fd = withinRecords(dirname(path), (folder) =>
      openSync(join(folder, basename(path)), READ_SAFELY),
    );
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
    return 'not-a-file';
  } catch (error) {
    return codeOf(error);
  }
}

/** `file`: the file's name, for corrupt lines. */
export function lineSplitter<T>(file: string, parse: ParseLine<T>): LineSplitter<T> {
  let line = 1;
  let parts: Buffer[] = [];
  let length = 0;

  const take = (end: Buffer): SplitLine<T> | null => {
    const isTooLong = length + end.length > MAX_LINE_BYTES;
    const whole = parts.length === 0 ? end : Buffer.concat([...parts, end]);
    const read = isTooLong ? 'too-long' : parsed(whole, parse);
    const number = line++;
    parts = [];
    length = 0;
    if (read === null) return null;
    return typeof read === 'string'
      ? { kind: 'corrupt', file, line: number, why: read }
      : { kind: 'record', record: read.record };
  };

  /** Keeps only the length of a line that is too long. */
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length > MAX_LINE_BYTES) parts = [];
    // A copy, since the caller reads into the same buffer again.
    else if (part.length > 0) parts.push(Buffer.from(part));
  };

  return {
    *add(bytes) {
      let from = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
        const read = take(bytes.subarray(from, end));
        from = end + 1;
        if (read !== null) yield read;
      }
      keep(bytes.subarray(from));
    },
    unfinished: () => (length === 0 ? null : { kind: 'corrupt', file, line, why: 'unfinished' }),
  };
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
  const record = parse(value, bytes.length);
  return record === null ? 'not-a-record' : { record };
}
