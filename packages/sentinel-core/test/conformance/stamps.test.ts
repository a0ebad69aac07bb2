/**
 * Every recorded expiry text is read as the other reader of sentinels reads it: no deviations.
 * What a passed deadline does to a hold is left to the scenarios.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseStamp } from '../../src/model/stamp.ts';
import { escaped } from './escaped.ts';

interface RecordedStamp {
  readonly input: string;
  /** Six decimals and `Z`, null (not understood), or `out-of-range-in-utc`. */
  readonly instant: string | null;
}

const file = new URL('./data/hermes-estop.json', import.meta.url);
const recorded: { stamps: RecordedStamp[] } = JSON.parse(readFileSync(file, 'utf8'));

/** Understood, but no text can say the instant: what it must be, and which end of time it is past. */
const OUT_OF_RANGE: Readonly<Record<string, bigint>> = {
  '0001-01-01T00:00:00+14:00': micros('0001-01-01T00:00:00.000000Z') - 14n * 3_600_000_000n,
  '9999-12-31T23:59:59-23:59': micros('9999-12-31T23:59:59.000000Z') + 86_340_000_000n,
};

/** Independent of the reader under test: the recorded form is one that ECMAScript specifies. */
function micros(instant: string): bigint {
  const millis = Date.parse(instant.replace(/\d{3}Z$/, 'Z'));
  return BigInt(millis) * 1000n + BigInt(instant.slice(-4, -1));
}

function expected({ input, instant }: RecordedStamp): bigint | null | undefined {
  if (instant === 'out-of-range-in-utc') return OUT_OF_RANGE[input];
  return instant === null ? null : micros(instant);
}

describe('recorded stamps', () => {
  it('are all there', () => {
    expect(recorded.stamps).toHaveLength(110);
  });

  it.each(recorded.stamps.map((stamp) => ({ title: escaped(stamp.input), stamp })))(
    '$title is read as recorded',
    ({ stamp }) => {
      expect(parseStamp(stamp.input)).toBe(expected(stamp));
    },
  );
});
