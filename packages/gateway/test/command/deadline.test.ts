/** Deadlines in chat replies: as on the command line, in UTC only. */
import type { Hold } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { deadlineText } from '../../src/command/replies.ts';

const NOW_MS = Date.UTC(2026, 10, 29, 16, 0, 30);
const HOUR_MS = 3_600_000;

function textOf(
  expiresAtMs: number | null,
  expiresAt: string | null = 'as it stands on disk',
): string {
  const hold: Hold = {
    id: 'h1',
    holder: 'chat',
    reason: null,
    engagedAt: null,
    expiresAt,
    expiresAtMs,
    allow: null,
    actor: null,
    raw: {},
  };
  return deadlineText(hold, NOW_MS);
}

test.each([
  [2 * HOUR_MS, 'until 2026-11-29 18:00:30 UTC (in 2h)'],
  [2 * HOUR_MS - 1, 'until 2026-11-29 18:00:29 UTC (in 1h 59m)'],
  // Trailing zero units are left out, as on a terminal.
  [48 * HOUR_MS + 300_000, 'until 2026-12-01 16:05:30 UTC (in 2d)'],
  [0, 'until 2026-11-29 16:00:30 UTC (passed)'],
])('a deadline in %d ms is shown with the time left', (leftMs, text) => {
  expect(textOf(NOW_MS + leftMs)).toBe(text);
});

test('a hold without a deadline, and one with a deadline that cannot be read, stands until its lift', () => {
  expect(textOf(null, null)).toBe('until it is lifted');
  expect(textOf(null, 'soon')).toBe('until it is lifted, since its deadline `soon` cannot be read');
});
