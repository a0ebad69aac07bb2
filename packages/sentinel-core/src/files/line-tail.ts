/**
 * Reads what was appended to a file of lines since the last read. A rotated or truncated file is
 * read from its new beginning, after the rest of the old one.
 * `line-split.ts` splits the lines; `line-read.ts` reads all of them.
 */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { codeOf } from './errno.ts';
import { inodeAt } from './line-rotation.ts';
import {
  CHUNK_BYTES,
  type LineSplitter,
  lineSplitter,
  MAX_LINE_BYTES,
  openForLines,
  type ParseLine,
} from './line-split.ts';

/** The lines that are appended to a file. */
export interface LineTail<T> {
  /** The records since the last read, each once, in order. Throws no errno. */
  read(): T[];
  /** Why the last read failed; null: it did not, or there is no file yet. */
  readonly unreadable: string | null;
  close(): void;
}

/**
 * Bytes. Four times the size at which our writers rotate. Anything beyond it was put there to keep
 * us busy.
 */
const MAX_BEHIND = 16 * MAX_LINE_BYTES;

interface OpenTail<T> {
  readonly fd: number;
  readonly ino: bigint;
  offset: number;
  lines: LineSplitter<T>;
}

/** Starts at the end of the file at `path`, or at its beginning if it does not exist yet. */
export function tailLines<T>(path: string, parse: ParseLine<T>): LineTail<T> {
  let opened: OpenTail<T> | null = null;
  let unreadable: string | null = null;
  const newLines = () => lineSplitter(basename(path), parse);

  const open = (from: 'start' | 'end'): OpenTail<T> | null => {
    const fd = openForLines(path);
    unreadable = typeof fd === 'number' || fd === 'ENOENT' ? null : fd;
    if (typeof fd === 'string') return null;
    const { ino, size } = fstatSync(fd, { bigint: true });
    return { fd, ino, offset: from === 'start' ? 0 : Number(size), lines: newLines() };
  };

  const drain = (tail: OpenTail<T>): T[] => {
    const records: T[] = [];
    const { size } = fstatSync(tail.fd);
    const from = size < tail.offset ? 0 : Math.max(tail.offset, size - MAX_BEHIND);
    if (from !== tail.offset) Object.assign(tail, { offset: from, lines: newLines() });
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    while (tail.offset < size) {
      const got = readSync(tail.fd, chunk, 0, chunk.length, tail.offset);
      if (got === 0) break;
      tail.offset += got;
      for (const line of tail.lines.add(chunk.subarray(0, got))) {
        if (line.kind === 'record') records.push(line.record);
      }
    }
    return records;
  };

  const close = (): void => {
    if (opened !== null) closeSync(opened.fd);
    opened = null;
  };

  opened = open('end');
  return {
    read() {
      try {
        const records = opened === null ? [] : drain(opened);
        if (opened !== null && inodeAt(path) === opened.ino) return records;
        close();
        opened = open('start');
        return opened === null ? records : [...records, ...drain(opened)];
      } catch (error) {
        unreadable = codeOf(error);
        return [];
      }
    },
    get unreadable() {
      return unreadable;
    },
    close,
  };
}
