/**
 * Formats and parses a receipt: one refusal as a line of JSON.
 * Writing and reading the files is `write-receipts.ts` and `read-receipts.ts`.
 */
import { formatInstant, jsonText, parseStamp } from '@fleet-estop/sentinel-core';

/** A refusal, as a gateway reports it. */
export interface Refusal {
  readonly door: string;
  /** Who was refused; null if unknown. */
  readonly principal: string | null;
  readonly profile: string;
  /** Ids of the holds that refused, nearest first. */
  readonly holds: readonly string[];
  /** It was missed while these holds stood, and their lift said not to make up for it. */
  readonly skipped?: true;
}

export interface Receipt extends Refusal {
  /** ISO 8601. */
  readonly at: string;
  readonly atMs: number;
  /** Process id of the gateway. */
  readonly pid: number;
  /** Instance of the gateway; distinguishes processes that had the same id. */
  readonly instance: string;
}

/** Characters (UTF-16 code units). They bound a line; longer text is cut and marked. */
const MAX_NAME = 256;
const MAX_ID = 128;
const MAX_IDS = 64;
const CUT_MARK = ' […]';

/** Texts and lists come from outside: they are bounded here, and escaped where they are shown. */
export function lineOf(
  { door, principal, profile, holds, skipped }: Refusal,
  { instance, nowMs }: { readonly instance: string; readonly nowMs: number },
): string {
  return jsonText({
    at: formatInstant(nowMs),
    door: cut(door, MAX_NAME),
    principal: principal === null ? null : cut(principal, MAX_NAME),
    profile,
    holds: holds.slice(0, MAX_IDS).map((id) => cut(id, MAX_ID)),
    ...(skipped === true ? { skipped } : {}),
    pid: process.pid,
    instance,
  });
}

/** Parses a receipt; null if it is none. Unknown fields of later versions are ignored. */
export function receiptOf(value: unknown): Receipt | null {
  if (typeof value !== 'object' || value === null) return null;
  const fields = value as Record<string, unknown>;
  const { at, door, principal, profile, holds, skipped, pid, instance } = fields;
  const micros = typeof at === 'string' ? parseStamp(at) : null;
  if (typeof at !== 'string' || micros === null) return null;
  if (typeof door !== 'string' || typeof profile !== 'string' || !Array.isArray(holds)) return null;
  return {
    at,
    atMs: Number(micros / 1000n),
    door: cut(door, MAX_NAME),
    principal: typeof principal === 'string' ? cut(principal, MAX_NAME) : null,
    profile: cut(profile, MAX_NAME),
    holds: holds
      .slice(0, MAX_IDS)
      .filter((id) => typeof id === 'string')
      .map((id) => cut(id, MAX_ID)),
    ...(skipped === true ? { skipped } : {}),
    pid: typeof pid === 'number' ? pid : 0,
    instance: typeof instance === 'string' ? cut(instance, MAX_NAME) : '',
  };
}

/** Cuts text to `max` with a mark, never inside a surrogate pair. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - CUT_MARK.length);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}${CUT_MARK}`;
}
