/**
 * What the register's files say: who an owner is, and what a claim is about.
 * Written by anybody who may write there, so that it is parsed as hostile. Where it stands is
 * `names.ts`.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type ProcessMark, parseMark } from '@fleet-estop/liveness';

export interface OwnerRecord extends ProcessMark {
  /** ISO 8601. */
  readonly since: string;
  readonly instance: string | null;
  readonly software: string | null;
  readonly leaseMs: number;
}

/** A piece of work; null throughout where the text of its claim could not be read. */
export interface WorkText {
  readonly door: string | null;
  readonly id: string | null;
  /** null: none was known. */
  readonly principal: string | null;
  /** ISO 8601. */
  readonly since: string | null;
}

export const NO_TEXT: WorkText = { door: null, id: null, principal: null, since: null };

/** Characters that are told of a door, an id or a principal; more is shortened with a mark. */
const MAX_WORD = 256;
/** Three words and a stamp, each character of them escaped, are less. */
const MAX_BYTES = 8 * 1024;
/** A longer lease is no lease. */
const MAX_LEASE_MS = 3_600_000;
/** One for all: each text is read in one go, and a new one for each is a third of the time. */
const bytes = Buffer.alloc(MAX_BYTES + 1);
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export const ownerText = (record: OwnerRecord): string =>
  `${JSON.stringify({ version: 1, ...record })}\n`;

export function parseOwner(text: string): OwnerRecord | null {
  const fields = parse(text);
  const mark = parseMark(fields);
  if (mark === null) return null;
  const { since, instance, software, leaseMs } = fields;
  const isLease = typeof leaseMs === 'number' && leaseMs > 0;
  return {
    ...mark,
    since: wordOf(since) ?? '',
    instance: wordOf(instance),
    software: wordOf(software),
    leaseMs: isLease ? Math.min(leaseMs, MAX_LEASE_MS) : 0,
  };
}

export const workText = ({ door, id, principal, since }: WorkText): string =>
  `${JSON.stringify({ door: wordOf(door), id: wordOf(id), principal: wordOf(principal), since })}\n`;

export function parseWork(text: string): WorkText {
  const { door, id, principal, since } = parse(text);
  return {
    door: wordOf(door),
    id: wordOf(id),
    principal: wordOf(principal),
    since: wordOf(since),
  };
}

/** Throws an errno, or an error with the code `not-a-file` or `too-long`. */
export function readText(path: string): { readonly text: string; readonly writtenMs: number } {
  const fd = openSync(path, READ);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw Object.assign(new Error(path), { code: 'not-a-file' });
    const length = readSync(fd, bytes, 0, bytes.length, 0);
    if (length > MAX_BYTES) throw Object.assign(new Error(path), { code: 'too-long' });
    return { text: bytes.toString('utf8', 0, length), writtenMs: stat.mtimeMs };
  } finally {
    closeSync(fd);
  }
}

function parse(text: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as { [key: string]: unknown }) : {};
  } catch {
    return {};
  }
}

function wordOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (value.length <= MAX_WORD) return value;
  return `${value.slice(0, MAX_WORD - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
