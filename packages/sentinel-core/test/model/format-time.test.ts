import { describe, expect, it } from 'vitest';
import { formatSpan, formatUtc } from '../../src/model/format-time.ts';
import { MAX_INSTANT_MS } from '../../src/model/stamp.ts';

const S = 1_000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

describe('a span of time', () => {
  it.each([
    ['0s', 0],
    ['0s', 999],
    ['1s', 1_999],
    ['59s', M - 1],
    ['1m', M],
    ['59m 30s', 59 * M + 30 * S],
    ['59m 59s', H - 1],
    ['1h', H],
    ['1h 59m', 2 * H - 1],
    ['2d 3h', 2 * D + 3 * H + 59 * M],
    ['400d', 400 * D + 59 * M],
  ])('is told as %s, cut and never rounded up', (text, ms) => {
    expect(formatSpan(ms)).toBe(text);
  });

  it.each([
    ['1h', H + 59 * S],
    ['2d', 2 * D + 5 * M],
    ['2d', 2 * D + 59 * S],
  ])('ends at a unit that it has none of: %s', (text, ms) => {
    expect(formatSpan(ms)).toBe(text);
  });

  it('that is over is none', () => {
    expect(formatSpan(-1)).toBe('0s');
    expect(formatSpan(-2 * D)).toBe('0s');
  });
});

describe('an instant in UTC', () => {
  it('is told to the second, cut', () => {
    expect(formatUtc(Date.UTC(2026, 10, 29, 17, 0, 0, 999))).toBe('2026-11-29 17:00:00 UTC');
    expect(formatUtc(-1)).toBe('1969-12-31 23:59:59 UTC');
    expect(formatUtc(MAX_INSTANT_MS)).toBe('9999-12-31 23:59:59 UTC');
  });

  it('can lie a day beyond the years that a body can say, where an offset takes it there', () => {
    expect(formatUtc(MAX_INSTANT_MS + D)).toBe('+010000-01-01 23:59:59 UTC');
  });
});
