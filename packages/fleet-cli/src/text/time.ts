/**
 * Instants and spans of time for people.
 * Reading them from arguments is `cli/deadline.ts`; what a chat is told, too, is the core's.
 */
import { formatSpan, formatUtc, parseStamp } from '@fleet-estop/sentinel-core';

export { formatSpan as span } from '@fleet-estop/sentinel-core';

/** `2026-11-29 18:00:00 +01:00`, by the clock on the wall here. */
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

/** The same instant local and in UTC: an operator's watch and a server's log seldom agree. */
export const bothTimes = (ms: number): string => `${localTime(ms)} = ${formatUtc(ms)}`;

/** Milliseconds since the epoch of a stamp as it stands on disk; null: not understood. */
export function instantOf(stamp: string | null): number | null {
  const micros = stamp === null ? null : parseStamp(stamp);
  return micros === null ? null : Number(micros / 1000n);
}

const padded = (value: number, length = 2): string => String(value).padStart(length, '0');

/** How long before `nowMs` that was; a time that has not come yet is a clock's fault, and is said. */
export const ago = (ms: number, nowMs: number): string =>
  ms > nowMs
    ? `${formatSpan(ms - nowMs)} in the future: a clock is wrong`
    : `${formatSpan(nowMs - ms)} ago`;
