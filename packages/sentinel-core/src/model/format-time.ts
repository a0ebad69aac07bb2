/**
 * Formats instants and spans of time for people, the same on a terminal and in a chat.
 * `stamp.ts` formats instants for a sentinel, and `duration.ts` reads durations. The caller formats
 * local times, since it knows the reader's time zone.
 */

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/**
 * Formats milliseconds as `2d 3h`, `59m 30s` or `0s`: a unit and the next smaller one, cut and
 * never rounded up. 2 days and 5 minutes are `2d`, since the hours between are zero. Less than zero
 * is `0s`. Throws nothing.
 */
export function formatSpan(ms: number): string {
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

/**
 * Formats milliseconds since the epoch as `2026-11-29 17:00:00 UTC`, cut to the second. Throws a
 * RangeError for a number that no date can hold.
 */
export const formatUtc = (ms: number): string =>
  `${new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} UTC`;
