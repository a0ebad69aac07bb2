/**
 * Formats instants and time spans for people.
 * Reading them from arguments is `cli/deadline.ts`; formats that chat messages share are the core's.
 */
import { formatSpan, formatUtc, parseStamp } from '@fleet-estop/sentinel-core';

export { formatSpan as span } from '@fleet-estop/sentinel-core';

/** `2026-11-29 18:00:00 +01:00`, in the local time zone. */
export function localTime(ms: number): string {
  const at = new Date(ms);
  const offset = -at.getTimezoneOffset();
  const size = Math.abs(offset);
  const sign = offset < 0 ? '-' : '+';
  const date = [padded(at.getFullYear(), 4), padded(at.getMonth() + 1), padded(at.getDate())];
  const time = [padded(at.getHours()), padded(at.getMinutes()), padded(at.getSeconds())];
  const zone = `${sign}${padded(Math.floor(size / 60))}:${padded(size % 60)}`;
  return `${date.join('-')} ${time.join(':')} ${zone}`;
}

/** The same instant in local time and in UTC, because server logs are often in UTC. */
export const bothTimes = (ms: number): string => `${localTime(ms)} = ${formatUtc(ms)}`;

/** Milliseconds since the epoch of a stamp from disk; null: it cannot be parsed. */
export function instantOf(stamp: string | null): number | null {
  const micros = stamp === null ? null : parseStamp(stamp);
  return micros === null ? null : Number(micros / 1000n);
}

const padded = (value: number, length = 2): string => String(value).padStart(length, '0');

/** How long before `nowMs` it was. A time in the future means a wrong clock, and the text says so. */
export const ago = (ms: number, nowMs: number): string =>
  ms > nowMs
    ? `${formatSpan(ms - nowMs)} in the future: a clock is wrong`
    : `${formatSpan(nowMs - ms)} ago`;
