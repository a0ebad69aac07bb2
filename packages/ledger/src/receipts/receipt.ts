/**
 * What a receipt says: one thing that was refused, as a line of JSON.
 * Where the lines are and how they get there is `write-receipts.ts` and `read-receipts.ts`.
 */
import { formatInstant, jsonText, parseStamp } from '@fleet-estop/sentinel-core';

/** What a gateway knows of a refusal. */
export interface Refusal {
  readonly door: string;
  /** Whom it was told; null: nobody it knew by name. */
  readonly principal: string | null;
  readonly profile: string;
  /** Ids of the holds that refused, nearest first. */
  readonly holds: readonly string[];
}

export interface Receipt extends Refusal {
  /** ISO 8601. */
  readonly at: string;
  readonly atMs: number;
  /** Of the gateway's process. */
  readonly pid: number;
  /** Of the gateway's run: tells two processes apart that had the same id. */
  readonly instance: string;
}

/** Characters (UTF-16 code units). They bound a line; what is longer is cut, with a mark. */
const MAX_NAME = 256;
const MAX_ID = 128;
const MAX_IDS = 64;
const CUT_MARK = ' […]';

/** Text and lists come from outside, and are data: bounded here, and made harmless where shown. */
export function lineOf(
  { door, principal, profile, holds }: Refusal,
  { instance, nowMs }: { readonly instance: string; readonly nowMs: number },
): string {
  return jsonText({
    at: formatInstant(nowMs),
    door: cut(door, MAX_NAME),
    principal: principal === null ? null : cut(principal, MAX_NAME),
    profile,
    holds: holds.slice(0, MAX_IDS).map((id) => cut(id, MAX_ID)),
    pid: process.pid,
    instance,
  });
}

/** null: it is none. Fields that a later version adds are passed over. */
export function receiptOf(value: unknown): Receipt | null {
  if (typeof value !== 'object' || value === null) return null;
  const { at, door, principal, profile, holds, pid, instance } = value as Record<string, unknown>;
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
    pid: typeof pid === 'number' ? pid : 0,
    instance: typeof instance === 'string' ? cut(instance, MAX_NAME) : '',
  };
}

/** Never inside a surrogate pair. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - CUT_MARK.length);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}${CUT_MARK}`;
}
