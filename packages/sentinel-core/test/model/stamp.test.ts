/**
 * The stamp grammar as we document it, and the two forms in which an instant leaves.
 * The texts that upstream was seen to read are `../conformance/stamps.test.ts`.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expiryMs, formatInstant, MAX_INSTANT_MS, parseStamp } from '../../src/model/stamp.ts';

const MIN_INSTANT_MS = Date.parse('0001-01-01T00:00:00.000Z');

/** The same instant in the one form that ECMAScript specifies. */
const micros = (iso: string): bigint => BigInt(Date.parse(iso)) * 1000n;

describe('a stamp is read as the instant that it says', () => {
  it.each<[text: string, iso: string]>([
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2000-02-29', '2000-02-29T00:00:00Z'],
    ['0099-12-31', '0099-12-31T00:00:00Z'],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59Z'],
    ['2020-W53-5', '2021-01-01T00:00:00Z'],
    ['2026-W01-1', '2025-12-29T00:00:00Z'],
    ['2004W537', '2005-01-02T00:00:00Z'],
    ['0001-W01-1', '0001-01-01T00:00:00Z'],
    ['9999-W52-5', '9999-12-31T00:00:00Z'],
    ['2026-11-29T17:00-05:00', '2026-11-29T22:00:00Z'],
    ['2026-11-29T17-0530', '2026-11-29T22:30:00Z'],
    ['2026-11-29T17:00 +01:00', '2026-11-29T16:00:00Z'],
    ['2026-11-29T17:00.+01:00', '2026-11-29T16:00:00Z'],
    ['2026-11-29\u{1f600}17:00', '2026-11-29T17:00:00Z'],
    ['2026-11-29\ud80017:00', '2026-11-29T17:00:00Z'],
    ['2026-11-29\n17:00', '2026-11-29T17:00:00Z'],
    ['2026-W48-17', '2026-11-23T17:00:00Z'],
    ['2026W48 17', '2026-11-23T17:00:00Z'],
  ])('%j', (text, iso) => {
    expect(parseStamp(text)).toBe(micros(iso));
  });

  // There is no date with an offset: what follows the sign is the time, as the other reader has it.
  it('a sign right after the date is a separator', () => {
    expect(parseStamp('2026-11-29-05:00')).toBe(micros('2026-11-29T05:00:00Z'));
  });

  it('with microseconds, in the time and in the offset, and cut after the sixth decimal', () => {
    const second = micros('2026-11-29T17:00:00Z');
    expect(parseStamp('2026-11-29T17:00:00.000001')).toBe(second + 1n);
    expect(parseStamp('2026-11-29T17:00:00,0000019Z')).toBe(second + 1n);
    expect(parseStamp('2026-11-29T17:00:01+00:00:01.000002')).toBe(second - 2n);
    expect(parseStamp('2026-11-29T16:59:59-00:00:01.000002')).toBe(second + 2n);
  });
});

describe('a stamp is not understood', () => {
  it.each<[why: string, text: string]>([
    ['a day that the month has not', '2023-02-29'],
    ['a day that the century has not', '1900-02-29'],
    ['day 31 of a short month', '2026-04-31'],
    ['day 0', '2026-11-00'],
    ['week 0', '2026-W00-1'],
    ['week 53 of a short year', '2021-W53-1'],
    ['week 53 that is week 1 of the next year', '2024-W53-1'],
    ['day 0 of a week', '2026-W48-0'],
    ['day 8 of a week', '2026-W48-8'],
    ['a week that ends in the year 10000', '9999-W52-6'],
    ['a week of the year 0', '0000-W01-1'],
    ['hyphens by half', '2026-1129'],
    ['colons by half', '2026-11-29T17:0000'],
    ['colons by the other half', '2026-11-29T1700:00'],
    ['a separator and no time', '2026-11-29T'],
    ['a date and Z, which is a separator there', '2026-11-29Z'],
    ['a compact date and Z', '20261129Z'],
    ['a week and Z', '2026-W48Z'],
    ['a day of a week and Z', '2026-W48-1Z'],
    ['a separator and Z', '2026-11-29TZ'],
    ['Z twice', '2026-11-29T17:00ZZ'],
    ['Z and an offset', '2026-11-29T17:00Z+01:00'],
    ['Z in lower case', '2026-11-29T17:00z'],
    ['a separator and an offset', '2026-11-29T+01:00'],
    ['two separators', '2026-11-29  17:00'],
    ['hour 24', '2026-11-29T24:00'],
    ['minute 60', '2026-11-29T17:60'],
    ['an offset of a day', '2026-11-29T17:00+24:00'],
    ['an offset of 60 minutes', '2026-11-29T17:00+00:60'],
    ['an offset of less than a second', '2026-11-29T17:00+00:00:00.5'],
    ['an offset without digits', '2026-11-29T17:00+'],
    ['two offsets', '2026-11-29T17:00+01:00+01:00'],
    ['an offset and Z', '2026-11-29T17:00+01:00Z'],
    ['decimals of an hour', '2026-11-29T17.5'],
    ['decimals of a minute', '2026-11-29T17:00.5'],
    ['decimals after a colon', '2026-11-29T17:00:00:5'],
    ['decimals after nothing', '2026-11-29T170000500'],
    ['a decimal mark and nothing', '2026-11-29T17:00:00.'],
    ['two spaces before the offset', '2026-11-29T17:00  +01:00'],
    ['a space between decimals and offset', '2026-11-29T17:00:00.5 +01:00'],
    ['a letter before the offset', '2026-11-29T17:00x+01:00'],
    ['words after six decimals', '2026-11-29T17:00:00.123456 or so+01:00'],
    ['a null character at the end', '2026-11-29T17:00:00\0'],
    ['a second line', '2026-11-29\n2026-11-30'],
    ['digits of another script', '2026-11-29T\uff11\uff17:00'],
    ['an expanded year', '+012026-11-29T17:00:00Z'],
  ])('%s', (_, text) => {
    expect(parseStamp(text)).toBeNull();
    expect(expiryMs(text)).toBeNull();
  });

  it('whatever it is, and never thrown at', () => {
    const near = fc.string({ unit: fc.constantFrom(...'0123456789-:.,+WTZ \0\ud800') });
    const tail = near.map((text) => `2026-11-29${text}`);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), near, tail), (text) => {
        const instant = parseStamp(text);
        expect(instant === null || typeof instant === 'bigint').toBe(true);
      }),
    );
  });

  it('and a text of the size of a body is refused at once', () => {
    const digits = '1'.repeat(65_536);
    expect(parseStamp(digits)).toBeNull();
    expect(parseStamp(`2026-11-29T${digits} +01:00`)).toBeNull();
    expect(parseStamp(`2026-11-29T17:00:00.${digits}`)).not.toBeNull();
  });
});

describe('expiryMs', () => {
  it('rounds up, so that a hold never ends early', () => {
    const second = Date.parse('2026-11-29T17:00:00Z');
    expect(expiryMs('2026-11-29T17:00:00Z')).toBe(second);
    expect(expiryMs('2026-11-29T17:00:00.000001Z')).toBe(second + 1);
    expect(expiryMs('2026-11-29T17:00:00.000999Z')).toBe(second + 1);
    expect(expiryMs('2026-11-29T17:00:00.001Z')).toBe(second + 1);
  });

  it('rounds up before the epoch too', () => {
    expect(expiryMs('1969-12-31T23:59:59.998999Z')).toBe(-1);
    expect(expiryMs('1969-12-31T23:59:59.998001Z')).toBe(-1);
    expect(expiryMs('1969-12-31T23:59:59.998Z')).toBe(-2);
  });

  it('is a number also where no text can say the instant', () => {
    expect(expiryMs('9999-12-31T23:59:59.9999Z')).toBe(MAX_INSTANT_MS + 1);
    expect(expiryMs('0001-01-01T00:00+14:00')).toBe(MIN_INSTANT_MS - 14 * 3_600_000);
  });
});

describe('formatInstant', () => {
  it('writes milliseconds and the offset of UTC', () => {
    expect(formatInstant(Date.UTC(2026, 10, 29, 17))).toBe('2026-11-29T17:00:00.000+00:00');
    expect(formatInstant(-1)).toBe('1969-12-31T23:59:59.999+00:00');
    expect(formatInstant(MIN_INSTANT_MS)).toBe('0001-01-01T00:00:00.000+00:00');
    expect(formatInstant(MAX_INSTANT_MS)).toBe('9999-12-31T23:59:59.999+00:00');
  });

  it.each([MAX_INSTANT_MS + 1, MIN_INSTANT_MS - 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'throws rather than write what no reader understands: %d',
    (ms) => {
      expect(() => formatInstant(ms)).toThrow(RangeError);
    },
  );

  it('writes what parseStamp reads back', () => {
    fc.assert(
      fc.property(fc.integer({ min: MIN_INSTANT_MS, max: MAX_INSTANT_MS }), (ms) => {
        expect(parseStamp(formatInstant(ms))).toBe(BigInt(ms) * 1000n);
        expect(expiryMs(formatInstant(ms))).toBe(ms);
      }),
    );
  });
});

it('every day of four hundred years is the same day in calendar and week form', () => {
  const days = 146_097;
  const start = Date.parse('1899-12-30');
  for (let n = 0; n < days; n++) {
    const at = new Date(start + n * 86_400_000);
    const calendar = parseStamp(at.toISOString().slice(0, 10));
    if (calendar !== BigInt(at.getTime()) * 1000n) expect.fail(at.toISOString());
    if (parseStamp(weekForm(at)) !== calendar) expect.fail(weekForm(at));
  }
});

/** Counted from the Thursday, which decides the year of a week. */
function weekForm(at: Date): string {
  const weekday = at.getUTCDay() === 0 ? 7 : at.getUTCDay();
  const thursday = new Date(at.getTime() + (4 - weekday) * 86_400_000);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * 86_400_000));
  return `${year}-W${String(week).padStart(2, '0')}-${weekday}`;
}
