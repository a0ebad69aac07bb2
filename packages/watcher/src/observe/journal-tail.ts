/**
 * Reads what was appended to the journal since the last read. A rotated or truncated journal is
 * read from its new beginning, after the rest of the old file.
 * What a line explains is decided in `state/departures.ts`.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { JournalLine } from '../state/journal-line.ts';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Also the longest line that is parsed: 64 holds with their reasons are shorter. */
const MAX_LINE = 1_048_576;
/**
 * Four times the size at which our writers rotate. Anything beyond it was put there to keep us
 * busy.
 */
const MAX_BEHIND = 16 * MAX_LINE;

export interface JournalTail {
  read(): JournalLine[];
  /** Why the last read failed; null: it did not, or there is no journal yet. */
  readonly unreadable: string | null;
  close(): void;
}

interface Opened {
  readonly fd: number;
  readonly ino: bigint;
  offset: number;
  rest: Buffer;
}

/** Starts at the end: earlier lifts explain no departure of this run. */
export function journalTail(path: string): JournalTail {
  let opened: Opened | null = null;
  let unreadable: string | null = null;

  const open = (from: 'start' | 'end'): Opened | null => {
    let fd: number | undefined;
    try {
      fd = openSync(path, READ);
      const { ino, size } = fstatSync(fd, { bigint: true });
      if (!fstatSync(fd).isFile())
        throw Object.assign(new Error('no file'), { code: 'not-a-file' });
      unreadable = null;
      return { fd, ino, offset: from === 'start' ? 0 : Number(size), rest: Buffer.alloc(0) };
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      unreadable = code === 'ENOENT' ? null : code;
      return null;
    }
  };

  const drain = (journal: Opened): JournalLine[] => {
    const lines: JournalLine[] = [];
    const { size } = fstatSync(journal.fd);
    if (size < journal.offset) Object.assign(journal, { offset: 0, rest: Buffer.alloc(0) });
    if (size - journal.offset > MAX_BEHIND) {
      Object.assign(journal, { offset: size - MAX_BEHIND, rest: Buffer.alloc(0) });
    }
    const chunk = Buffer.allocUnsafe(65_536);
    while (journal.offset < size) {
      const got = readSync(journal.fd, chunk, 0, chunk.length, journal.offset);
      if (got === 0) break;
      journal.offset += got;
      const text = Buffer.concat([journal.rest, chunk.subarray(0, got)]);
      const end = text.lastIndexOf(10) + 1;
      for (const line of text.subarray(0, end).toString('utf8').split('\n')) {
        const parsed = parseLine(line);
        if (parsed !== null) lines.push(parsed);
      }
      // A line without an end is not ours, and must not fill our memory.
      journal.rest = text.length - end > MAX_LINE ? Buffer.alloc(0) : text.subarray(end);
    }
    return lines;
  };

  const close = () => {
    if (opened !== null) closeSync(opened.fd);
    opened = null;
  };

  opened = open('end');
  return {
    read() {
      try {
        const lines = opened === null ? [] : drain(opened);
        const now = statSync(path, { bigint: true, throwIfNoEntry: false });
        if (opened !== null && now?.ino === opened.ino) return lines;
        close();
        opened = open('start');
        return opened === null ? lines : [...lines, ...drain(opened)];
      } catch (error) {
        unreadable = (error as NodeJS.ErrnoException).code ?? String(error);
        return [];
      }
    },
    get unreadable() {
      return unreadable;
    },
    close,
  };
}

/** null: the line explains nothing. */
function parseLine(line: string): JournalLine | null {
  if (line === '') return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return null;
  }
  const { at, event, scope, holds, actor } = fieldsOf(parsed);
  if (typeof event !== 'string' || typeof scope !== 'string' || !Array.isArray(holds)) return null;
  const holdIds = holds.flatMap((hold) => {
    const { id } = fieldsOf(hold);
    return typeof id === 'string' ? [id] : [];
  });
  const known = typeof actor === 'object' && actor !== null ? fieldsOf(actor) : null;
  return { at: typeof at === 'string' ? at : null, event, scope, holdIds, actor: known };
}

const fieldsOf = (value: unknown): { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null ? (value as { [key: string]: unknown }) : {};
