/**
 * Instants and spans of time as people are told them, the same on a terminal and in a chat.
 * What a sentinel says is `stamp.ts`, and what somebody writes `duration.ts`; whose clock an instant is
 * told by, beside UTC, is left to whoever knows where the reader is.
 */

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/**
 * `2d 3h`, `59m 30s`, `0s`: a unit and the next smaller one, cut and never rounded up. Of 2 days and
 * 5 minutes it is `2d`: a unit that is left out between two is read over.
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

/** `2026-11-29 17:00:00 UTC`, cut to the second. Throws a RangeError for what no date can hold. */
export const formatUtc = (ms: number): string =>
  `${new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} UTC`;
