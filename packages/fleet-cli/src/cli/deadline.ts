/**
 * Reads the deadline of a hold from `--ttl`, `--until` or `--no-ttl`.
 * Parsing durations and instants is the core's; showing a deadline is `text/time.ts`.
 */
import { expiryMs, formatInstant, MAX_INSTANT_MS, parseDuration } from '@fleet-estop/sentinel-core';
import { bothTimes } from '../text/time.ts';
import { usageError } from './values.ts';

export interface DeadlineOptions {
  readonly ttl?: string;
  readonly until?: string;
  readonly noTtl?: true;
}

export interface Deadline {
  /** undefined: keep the current deadline; null: no deadline. */
  readonly expiresAt: string | null | undefined;
  /** The option's text where it is later than any date: the hold is then armed without a deadline. */
  readonly beyondDates?: string;
}

/** A date and a time, with or without an offset. `--until` accepts no other form. */
const INSTANT =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?$/;

export function readDeadline({ ttl, until, noTtl }: DeadlineOptions, nowMs: number): Deadline {
  if (noTtl) return { expiresAt: null };
  if (ttl !== undefined) return after(ttl, nowMs);
  if (until !== undefined) return at(until, nowMs);
  return { expiresAt: undefined };
}

function after(ttl: string, nowMs: number): Deadline {
  const seconds = parseDuration(ttl);
  if (seconds === null) {
    throw usageError(
      `\`--ttl ${ttl}\` is not a duration`,
      'write it as 45m, 2h, 1h30m, 2d or plain seconds, lower case and more than zero',
    );
  }
  const deadlineMs = BigInt(nowMs) + seconds * 1000n;
  if (deadlineMs > BigInt(MAX_INSTANT_MS)) return { expiresAt: null, beyondDates: `--ttl ${ttl}` };
  return { expiresAt: formatInstant(Number(deadlineMs)) };
}

function at(until: string, nowMs: number): Deadline {
  const [, date, time, offset] = INSTANT.exec(until) ?? [];
  const utcMs = date === undefined ? null : expiryMs(`${date}T${time}+00:00`);
  if (date === undefined || utcMs === null) {
    throw usageError(
      `\`--until ${until}\` is not an instant`,
      'write date, time and offset, as in 2026-11-29T18:00:00+01:00, or use --ttl 2h',
    );
  }
  if (offset === undefined) throw ambiguous(until, utcMs);
  const deadlineMs = expiryMs(`${date}T${time}${offset}`);
  if (deadlineMs === null) {
    throw usageError(
      `\`--until ${until}\` has an offset that is not valid`,
      'an offset is Z or ±HH:MM',
    );
  }
  if (deadlineMs <= nowMs) {
    throw usageError(
      `\`--until ${until}\` has already passed: it is ${bothTimes(deadlineMs)}, now is ${bothTimes(nowMs)}`,
      'give a later instant, or --ttl 2h',
    );
  }
  if (deadlineMs > MAX_INSTANT_MS) return { expiresAt: null, beyondDates: `--until ${until}` };
  return { expiresAt: formatInstant(deadlineMs) };
}

function ambiguous(until: string, utcMs: number): Error {
  const wall = new Date(utcMs);
  const localMs = new Date(
    wall.getUTCFullYear(),
    wall.getUTCMonth(),
    wall.getUTCDate(),
    wall.getUTCHours(),
    wall.getUTCMinutes(),
    wall.getUTCSeconds(),
  ).getTime();
  return usageError(
    `\`--until ${until}\` has no offset, so it could be ${bothTimes(localMs)} (local), or ${bothTimes(utcMs)} (UTC)`,
    'add the offset you mean, such as Z or +01:00',
  );
}
