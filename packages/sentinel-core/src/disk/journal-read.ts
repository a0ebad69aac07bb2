/**
 * Reads the journal back, oldest line first, those that were moved aside included, a piece at a time.
 * What a line cannot be read as is told, never guessed. Writing is `journal.ts`.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Actor } from '../model/hold.ts';
import { parseStamp } from '../model/stamp.ts';
import { codeOf, meansAbsent, orNull } from './errno.ts';
import { journalPath } from './journal.ts';
import { type Segment, segmentsOf } from './journal-rotation.ts';

/** One line of the journal, as it was written. */
export interface JournalRecord {
  /** ISO 8601. */
  readonly at: string;
  readonly atMs: number;
  /** One of `JournalEntry`'s, or a word of a later version. */
  readonly event: string;
  /** The scope's folder. */
  readonly scope: string;
  /** null: no profile's scope. */
  readonly profile: string | null;
  readonly holds: readonly JournalHold[];
  readonly generation: string | null;
  readonly actor: Actor | null;
}

export interface JournalHold {
  readonly id: string;
  readonly holder: string | null;
  readonly reason: string | null;
  readonly expiresAt: string | null;
}

export type JournalRead =
  | { readonly kind: 'record'; readonly record: JournalRecord }
  | {
      readonly kind: 'corrupt';
      /** The file's name, and the line's number in it, from 1. */
      readonly file: string;
      readonly line: number;
      /** `not-utf8`, `not-json`, `not-a-record`, `too-long`, or `unfinished`: it has no end. */
      readonly why: CorruptLine;
    }
  /** A whole file: errno, or `not-a-file`. What it holds is not known. */
  | { readonly kind: 'unreadable'; readonly file: string; readonly why: string };

export type CorruptLine = 'not-utf8' | 'not-json' | 'not-a-record' | 'too-long' | 'unfinished';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 64 * 1024;
/** Longer than any line of ours: one body's holds, every character of them escaped, are less. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * What the journal of a root says, oldest first; nothing where there is none. Lines that are written
 * while it is read may be missing, and none comes twice. Throws no errno; memory is bounded.
 */
export function* readJournal(root: string): Generator<JournalRead, void, undefined> {
  const path = journalPath(root);
  // The newest first, and read last: what is moved aside meanwhile stays open.
  const current = open(path);
  try {
    let segments: Segment[] = [];
    try {
      segments = segmentsOf(path);
    } catch (error) {
      const why = codeOf(error);
      const told = !meansAbsent(why) && !(typeof current === 'string' && current === why);
      if (told) yield { kind: 'unreadable', file: basename(dirname(path)), why };
    }
    for (const segment of segments) {
      const fd = open(segment.path);
      // Removed since it was listed: it has outlived its time.
      if (fd === 'ENOENT') continue;
      if (typeof fd === 'string') {
        yield { kind: 'unreadable', file: basename(segment.path), why: fd };
        continue;
      }
      try {
        // Moved aside between the two looks. What is newer was begun after this was.
        if (typeof current === 'number' && isSame(fd, current)) break;
        yield* readLines(fd, basename(segment.path));
      } finally {
        closeSync(fd);
      }
    }
    if (typeof current === 'number') yield* readLines(current, basename(path));
    else if (!meansAbsent(current))
      yield { kind: 'unreadable', file: basename(path), why: current };
  } finally {
    if (typeof current === 'number') closeSync(current);
  }
}

/** A file descriptor, or why there is none. */
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

function isSame(a: number, b: number): boolean {
  const [one, other] = [fstatSync(a, { bigint: true }), fstatSync(b, { bigint: true })];
  return one.ino === other.ino && one.dev === other.dev;
}

function* readLines(fd: number, file: string): Generator<JournalRead, void, undefined> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let line = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (): JournalRead | null => {
    const bytes = Buffer.concat(parts);
    const read = length > MAX_LINE_BYTES ? 'too-long' : parse(bytes);
    const number = line++;
    parts = [];
    length = 0;
    if (read === null) return null;
    return typeof read === 'string'
      ? { kind: 'corrupt', file, line: number, why: read }
      : { kind: 'record', record: read };
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

  /** Of a line that is too long, only its length is kept. */
  function add(part: Buffer): void {
    length += part.length;
    if (length > MAX_LINE_BYTES) parts = [];
    else if (part.length > 0) parts.push(Buffer.from(part));
  }
}

/** null: an empty line, which two writers leave that mend a torn one at once. */
function parse(bytes: Buffer): JournalRecord | CorruptLine | null {
  if (bytes.length === 0) return null;
  const text = orNull(() => utf8.decode(bytes));
  if (text === null) return 'not-utf8';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not-json';
  }
  return recordOf(fieldsOf(value)) ?? 'not-a-record';
}

type Fields = { readonly [key: string]: unknown };

function recordOf({ at, event, scope, profile, holds, generation, actor }: Fields) {
  const micros = typeof at === 'string' ? parseStamp(at) : null;
  if (typeof at !== 'string' || micros === null) return null;
  if (typeof event !== 'string' || typeof scope !== 'string' || !Array.isArray(holds)) return null;
  const record: JournalRecord = {
    at,
    atMs: Number(micros / 1000n),
    event,
    scope,
    profile: textOr(profile),
    holds: holds.map(fieldsOf).map(({ id, holder, reason, expires_at }) => ({
      id: textOr(id) ?? '',
      holder: textOr(holder),
      reason: textOr(reason),
      expiresAt: textOr(expires_at),
    })),
    generation: textOr(generation),
    actor: actorOf(actor),
  };
  return record;
}

/** What a record says in part is shown in part. */
function actorOf(value: unknown): Actor | null {
  if (typeof value !== 'object' || value === null) return null;
  const { user, host, pid, via } = fieldsOf(value);
  return {
    user: textOr(user) ?? '',
    host: textOr(host) ?? '',
    pid: typeof pid === 'number' ? pid : 0,
    via: textOr(via) ?? '',
  };
}

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
