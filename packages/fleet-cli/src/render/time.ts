/**
 * Instants and spans of time for people.
 * Reading them from arguments is `input/deadline.ts`.
 */
import { parseStamp } from '@fleet-estop/sentinel-core';

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** `2d 3h`, `59m 30s`, `0s`: at most two units, cut and never rounded up. */
export function span(ms: number): string {
  let seconds = Math.max(0, Math.floor(ms / 1000));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0) parts.push(`${count}${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0s';
}

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

/** `2026-11-29 17:00:00 UTC`. */
const utcTime = (ms: number): string =>
  `${new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} UTC`;

/** The same instant local and in UTC: an operator's watch and a server's log seldom agree. */
export const bothTimes = (ms: number): string => `${localTime(ms)} = ${utcTime(ms)}`;

/** Milliseconds since the epoch of a stamp as it stands on disk; null: not understood. */
export function instantOf(stamp: string | null): number | null {
  const micros = stamp === null ? null : parseStamp(stamp);
  return micros === null ? null : Number(micros / 1000n);
}

const padded = (value: number, length = 2): string => String(value).padStart(length, '0');
