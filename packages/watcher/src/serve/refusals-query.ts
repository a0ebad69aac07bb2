/**
 * Parses the query of `/v1/refusals`.
 * The answer is `refusals.ts`.
 */
import {
  isProfileName,
  MAX_INSTANT_MS,
  parseDuration,
  parseStamp,
} from '@fleet-estop/sentinel-core';
import { type HttpError, httpError } from './answers.ts';

export interface RefusalsQuery {
  /** null: every profile. */
  readonly profile: string | null;
  /** null: every door. */
  readonly door: string | null;
  /** Milliseconds since the epoch; null: no limit. */
  readonly sinceMs: number | null;
  /** Maximum number of listed receipts. */
  readonly limit: number;
}

const KEYS = ['profile', 'door', 'since', 'limit'];
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const MAX_DOOR = 256;

export function parseRefusalsQuery(
  query: Readonly<Record<string, readonly string[]>>,
  nowMs: number,
): RefusalsQuery | HttpError {
  for (const [key, values] of Object.entries(query)) {
    if (!KEYS.includes(key)) return invalid('unknown parameter', `use ${KEYS.join(', ')}`);
    if (values.length > 1) return invalid(`\`${key}\` is given twice`, 'give it once');
  }
  const {
    profile = null,
    door = null,
    since = null,
    limit = null,
  } = Object.fromEntries(Object.entries(query).map(([key, [value = '']]) => [key, value]));
  if (profile !== null && !isProfileName(profile)) {
    return invalid(
      '`profile` is not a valid profile name',
      'see /v1/state for the profiles that exist',
    );
  }
  if (door !== null && (door === '' || door.length > MAX_DOOR)) {
    return invalid('`door` is not a valid door name', `a name has 1 to ${MAX_DOOR} characters`);
  }
  const sinceMs = since === null ? null : sinceOf(since, nowMs);
  if (sinceMs !== null && Number.isNaN(sinceMs)) {
    const hint = 'give a duration such as 45m or 24h, or an instant with an offset';
    return invalid('`since` is not valid', `${hint}, such as 2026-01-31T08:00:00Z`);
  }
  const count = limit === null ? DEFAULT_LIMIT : /^[0-9]{1,4}$/.test(limit) ? Number(limit) : -1;
  if (count < 0 || count > MAX_LIMIT) {
    return invalid('`limit` is not valid', `ask for 0 to ${MAX_LIMIT} refusals`);
  }
  return { profile, door, sinceMs, limit: count };
}

/** NaN: invalid. */
function sinceOf(text: string, nowMs: number): number {
  const seconds = parseDuration(text);
  if (seconds !== null) return Math.max(0, nowMs - Number(seconds) * 1_000);
  // An unescaped plus sign arrives as a space.
  const stamp = text.replace(/ (?=\d\d:?\d\d$)/, '+');
  // Ambiguous without an offset.
  if (!/(Z|[+-]\d\d(:?\d\d)?)$/.test(stamp) || !/T/.test(stamp)) return Number.NaN;
  const micros = parseStamp(stamp);
  const ms = micros === null ? Number.NaN : Number(micros / 1000n);
  return ms >= 0 && ms <= MAX_INSTANT_MS ? ms : Number.NaN;
}

const invalid = (message: string, hint: string): HttpError =>
  httpError(400, 'value-invalid', message, hint);
