/**
 * Formats and parses the register's files: an owner's record and a claim's text. Anybody with write
 * access could have written them, so they are parsed as hostile input.
 * Paths and names are `names.ts`.
 */

import { readSync } from 'node:fs';
import { type ProcessMark, parseMark, withFile } from '@fleet-estop/sentinel-core';

export interface OwnerRecord extends ProcessMark {
  /** ISO 8601. */
  readonly since: string;
  readonly instance: string | null;
  readonly software: string | null;
  readonly leaseMs: number;
}

/** Text of a claim; all fields are null if its file could not be read. */
export interface WorkText {
  readonly door: string | null;
  readonly id: string | null;
  /** null if unknown. */
  readonly principal: string | null;
  /** ISO 8601. */
  readonly since: string | null;
  /** The owner's address: the people to be told if it is cut. null if unknown. */
  readonly conversation: string | null;
  /** Milliseconds that this work may go without progress; null: it is never judged wedged. */
  readonly stallMs: number | null;
}

export const NO_TEXT: WorkText = {
  door: null,
  id: null,
  principal: null,
  since: null,
  conversation: null,
  stallMs: null,
};

/** Characters of a door, an id, a principal or a conversation; longer text is cut and marked. */
const MAX_WORD = 256;
/** Four words, a stamp and a number need less, even with every character escaped. */
const MAX_BYTES = 8 * 1024;
/** Longer leases are cut to this. */
const MAX_LEASE_MS = 3_600_000;
/** One shared buffer: allocating one for each text would take a third of the time. */
const bytes = Buffer.alloc(MAX_BYTES + 1);

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

export function workText(work: WorkText): string {
  const { since, stallMs } = work;
  const [door, id, principal] = [wordOf(work.door), wordOf(work.id), wordOf(work.principal)];
  const conversation = wordOf(work.conversation);
  return `${JSON.stringify({ door, id, principal, since, conversation, stall_ms: stallMs })}\n`;
}

export function parseWork(text: string): WorkText {
  const { door, id, principal, since, conversation, stall_ms: stallMs } = parse(text);
  return {
    door: wordOf(door),
    id: wordOf(id),
    principal: wordOf(principal),
    since: wordOf(since),
    conversation: wordOf(conversation),
    stallMs: isLimit(stallMs) ? stallMs : null,
  };
}

/** A positive whole number of milliseconds. */
export const isLimit = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

export const shutdownText = (instance: string): string =>
  `${JSON.stringify({ version: 1, instance: wordOf(instance) })}\n`;

export const parseShutdown = (text: string): string | null => wordOf(parse(text)['instance']);

/** Throws an errno, or an error with the code `not-a-file` or `too-long`. */
export function readText(path: string): { readonly text: string; readonly writtenMs: number } {
  return withFile(path, (fd, stat) => {
    if (!stat.isFile()) throw Object.assign(new Error(path), { code: 'not-a-file' });
    const length = readSync(fd, bytes, 0, bytes.length, 0);
    if (length > MAX_BYTES) throw Object.assign(new Error(path), { code: 'too-long' });
    return { text: bytes.toString('utf8', 0, length), writtenMs: stat.mtimeMs };
  });
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
