/**
 * Reads the lines that `line-file.ts` wrote, oldest first, rotated files included, in chunks.
 * `line-split.ts` splits them; the caller interprets a line.
 */
import { closeSync, fstatSync, lstatSync, readSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { codeOf, meansAbsent } from './errno.ts';
import { type Segment, segmentsOf } from './line-rotation.ts';
import {
  CHUNK_BYTES,
  lineSplitter,
  NEWLINE,
  openForLines,
  type ParseLine,
  type SplitLine,
} from './line-split.ts';

/** One result of reading lines: a record, a corrupt line, or lines that were not read. */
export type LineRead<T> =
  | SplitLine<T>
  /**
   * A whole file or the rest of it could not be read: errno, `not-a-file`, `link-of-another` or
   * `too-large`. `too-many`: this file and all older ones were not read. `older`: nor were the
   * lines before the last `lastBytes`, of this file and of all older ones. The lines in them are
   * unknown.
   */
  | { readonly kind: 'unreadable'; readonly file: string; readonly why: string };

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
  /** Lists no folder with more entries: `too-many`. Default: no limit. */
  readonly maxEntries?: number;
  /**
   * Reads only the newest lines, at most this many bytes of all files together, and none that are
   * written meanwhile. Default: no limit.
   */
  readonly lastBytes?: number;
}

/**
 * The lines at `path`, oldest first; none if there is no such file. Lines that are written
 * meanwhile may be missing, and none appears twice. Throws no errno. Memory is bounded.
 */
export function* readLines<T>(
  path: string,
  parse: ParseLine<T>,
  {
    sinceMs = -Infinity,
    maxBytes = Infinity,
    maxFiles = Infinity,
    maxEntries = Infinity,
    lastBytes = Infinity,
  }: ReadLinesOptions = {},
): Generator<LineRead<T>, void, undefined> {
  // Open the newest file first and read it last: it stays open if it is rotated meanwhile.
  const current = openForLines(path);
  try {
    let segments: Segment[] = [];
    try {
      segments = segmentsOf(path, maxEntries);
    } catch (error) {
      const why = codeOf(error);
      const isReported = !meansAbsent(why) && current !== why;
      if (isReported) yield { kind: 'unreadable', file: basename(dirname(path)), why };
    }
    const passedOver = segments[segments.length - maxFiles - 1];
    if (passedOver !== undefined) {
      yield { kind: 'unreadable', file: basename(passedOver.path), why: 'too-many' };
      segments = segments.slice(-maxFiles);
    }
    const parts = lastBytes === Infinity ? [] : lastParts(segments, current, lastBytes);
    const oldest = parts.findLastIndex(({ from }) => from > 0);
    if (oldest !== -1) {
      const file = basename(segments[oldest]?.path ?? path);
      yield { kind: 'unreadable', file, why: 'older' };
    }
    for (const [at, segment] of segments.entries()) {
      if (at < oldest) continue;
      const fd = openForLines(segment.path);
      // It was pruned since it was listed.
      if (fd === 'ENOENT') continue;
      if (typeof fd === 'string') {
        yield { kind: 'unreadable', file: basename(segment.path), why: fd };
        continue;
      }
      try {
        // The current file was rotated between the two looks. Newer files began after it.
        if (isSame(fd, current)) break;
        if (fstatSync(fd).mtimeMs < sinceMs) continue;
        yield* linesIn(fd, basename(segment.path), parse, { ...WHOLE, ...parts[at], maxBytes });
      } finally {
        closeSync(fd);
      }
    }
    if (typeof current === 'number') {
      yield* linesIn(current, basename(path), parse, { ...WHOLE, ...parts.at(-1), maxBytes });
    } else if (!meansAbsent(current)) {
      yield { kind: 'unreadable', file: basename(path), why: current };
    }
  } finally {
    if (typeof current === 'number') closeSync(current);
  }
}

/** Which bytes of a file are read: whole lines between two offsets, but at most `maxBytes`. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly maxBytes: number;
}

const WHOLE = { from: 0, to: Infinity };

/** The parts of rotated files and of the current one, in this order, that make up the last `most` bytes. */
function lastParts(
  segments: readonly Segment[],
  current: number | string,
  most: number,
): Omit<Part, 'maxBytes'>[] {
  const itself = typeof current === 'number' ? fstatSync(current) : undefined;
  const found = segments.map(({ path }) => lstatSync(path, { throwIfNoEntry: false }));
  // The current file was rotated since it was opened. It and newer files count once, or not at all.
  const end =
    itself === undefined
      ? -1
      : found.findIndex((it) => it?.ino === itself.ino && it.dev === itself.dev);
  const older = found.map((it, at) => (it?.isFile() && (end === -1 || at < end) ? it.size : 0));
  let left = most;
  return [...older, itself?.size ?? 0]
    .reverse()
    .map((size) => {
      const from = Math.max(0, size - left);
      left -= size - from;
      return { from, to: size };
    })
    .reverse();
}

function isSame(fd: number, current: number | string): boolean {
  if (typeof current === 'string') return false;
  const [one, other] = [fstatSync(fd, { bigint: true }), fstatSync(current, { bigint: true })];
  return one.ino === other.ino && one.dev === other.dev;
}

function* linesIn<T>(
  fd: number,
  file: string,
  parse: ParseLine<T>,
  { from, to, maxBytes }: Part,
): Generator<LineRead<T>, void, undefined> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const lines = lineSplitter(file, parse);
  // One byte earlier, to see whether a line begins there.
  const start = Math.max(0, from - 1);
  let isInside = from > 0;
  for (let at = start; at < to; ) {
    let got: number;
    try {
      got = readSync(fd, chunk, 0, Math.min(CHUNK_BYTES, to - at), at);
    } catch (error) {
      yield { kind: 'unreadable', file, why: codeOf(error) };
      return;
    }
    if (got === 0) break;
    at += got;
    if (at - start > maxBytes) {
      yield { kind: 'unreadable', file, why: 'too-large' };
      return;
    }
    const bytes = chunk.subarray(0, got);
    const lineEnd = isInside ? bytes.indexOf(NEWLINE) : -1;
    if (isInside && lineEnd === -1) continue;
    isInside = false;
    yield* lines.add(bytes.subarray(lineEnd + 1));
  }
  const unfinished = lines.unfinished();
  if (unfinished !== null) yield unfinished;
}
