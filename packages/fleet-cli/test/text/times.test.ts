/** How the command line tells times: spans and UTC as a chat does, and the clock on the wall beside. */
import { formatSpan, formatUtc } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { bothTimes, localTime, span } from '../../src/text/time.ts';

const AT_MS = Date.UTC(2026, 10, 29, 17, 0, 0);

test('an instant is told by the clock here, with its offset, and in UTC as a chat tells it', () => {
  expect(bothTimes(AT_MS)).toBe(`${localTime(AT_MS)} = ${formatUtc(AT_MS)}`);
  expect(bothTimes(AT_MS)).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d = 2026-11-29 17:00:00 UTC$/,
  );
  const [day, clock, offset] = localTime(AT_MS).split(' ');
  expect(Date.parse(`${day}T${clock}${offset}`)).toBe(AT_MS);
});

test('a span is told in two units that follow each other, as a chat tells it', () => {
  const told = [0, 59_999, 3_599_000, 7_199_000, 172_800_000 + 300_000].map(span);
  expect(told).toEqual(['0s', '59s', '59m 59s', '1h 59m', '2d']);
  expect(span).toBe(formatSpan);
});
