/**
 * The duration grammar as it is documented.
 * How it compares with what upstream was seen to read is `../conformance/durations.test.ts`.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../src/model/duration.ts';

describe('a duration is read as whole seconds', () => {
  it.each<[unknown, bigint]>([
    ['90', 90n],
    ['15s', 15n],
    ['45m', 2700n],
    ['2h', 7200n],
    ['2d', 172_800n],
    ['1h30m', 5400n],
    ['1d2h3m4s', 93_784n],
    ['1d1s', 86_401n],
    ['0h30m', 1800n],
    ['1h0m', 3600n],
    ['1h90m', 9000n],
    ['007', 7n],
    [' 1h30m\n', 5400n],
    ['45\u00a0m', 2700n],
    ['9'.repeat(32), BigInt('9'.repeat(32))],
    [`${'9'.repeat(32)}d`, BigInt('9'.repeat(32)) * 86_400n],
    [90, 90n],
    [2 ** 60, 2n ** 60n],
  ])('%j', (input, seconds) => {
    expect(parseDuration(input)).toBe(seconds);
  });
});

describe('a duration is refused', () => {
  it.each<[why: string, input: unknown]>([
    ['units out of order', '30m1h'],
    ['a unit twice', '1h1h'],
    ['no unit after another', '1h30'],
    ['space inside two units', '1h 30m'],
    ['space before one of two units', '1 h30m'],
    ['space between digits', '4 5m'],
    ['upper case', '1H30M'],
    ['a zero of two units', '0h0m'],
    ['a fraction', '1.5h'],
    ['a fraction with a comma', '1,5h'],
    ['an exponent', '1e3'],
    ['a plus sign', '+45m'],
    ['a minus sign inside', '1h-30m'],
    ['a true minus sign', '\u22125m'],
    ['full-width digits', '1h\uff13\uff10m'],
    ['33 digits', '1'.repeat(33)],
    ['33 digits, be they zeros', `${'0'.repeat(32)}1s`],
    ['33 digits in one of two units', `1h${'1'.repeat(33)}m`],
    ['a second line', '45m\n2h'],
    ['a zero-width space', '45\u200bm'],
    ['a byte order mark', '\ufeff45m'],
    ['a null character', '45m\0'],
    ['an empty text', ''],
    ['a name on the prototype of objects', 'constructor'],
    ['negative zero', -0],
    ['not a number', Number.NaN],
    ['no end', Number.NEGATIVE_INFINITY],
    ['a number of 33 digits', 1e32],
    ['a bigint', 45n],
    ['undefined', undefined],
    ['a String object', new String('45m')],
    ['what pretends to be a number', { valueOf: () => 45 }],
  ])('%s', (_, input) => {
    expect(parseDuration(input)).toBeNull();
  });

  it('whatever it is, and never thrown at', () => {
    const units = fc.string({ unit: fc.constantFrom(...'0123456789dhms .+-') });
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string(), units), (input) => {
        const seconds = parseDuration(input);
        expect(seconds === null || seconds > 0n).toBe(true);
      }),
    );
  });
});

it('a duration in all four units is the sum of its parts', () => {
  const count = fc.bigInt({ min: 0n, max: 10n ** 32n - 1n });
  fc.assert(
    fc.property(count, count, count, count, (d, h, m, s) => {
      const total = d * 86_400n + h * 3600n + m * 60n + s;
      expect(parseDuration(`${d}d${h}h${m}m${s}s`)).toBe(total === 0n ? null : total);
    }),
  );
});
