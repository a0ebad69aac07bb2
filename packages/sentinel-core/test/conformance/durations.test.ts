/**
 * Every recorded duration is read as recorded, or is a deviation named here with its reason.
 * The grammar as we document it is `../model/duration.test.ts`.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../src/model/duration.ts';
import { escaped } from './escaped.ts';

/** Exactly one of the inputs, and exactly one of the answers. */
interface RecordedDuration {
  readonly input?: unknown;
  /** A floating-point value that JSON cannot say. */
  readonly input_special?: 'Infinity' | 'NaN';
  readonly seconds?: number | null;
  readonly seconds_big?: string;
  readonly raises?: string;
}

interface Deviation {
  readonly input: unknown;
  readonly reason: string;
  /** A deviation refuses, unless it says what it reads instead. */
  readonly reads?: bigint;
}

const DEVIATIONS: readonly Deviation[] = [
  {
    input: '1h30m',
    reason: 'two units in a row are documented here, and refused there',
    reads: 5400n,
  },
  {
    input: '\uff14\uff15m',
    reason: 'digits are ASCII: full-width ones are not what is documented',
  },
  { input: '\u0664\u0665m', reason: 'digits are ASCII: Arabic ones are not what is documented' },
  { input: '9'.repeat(5000), reason: 'more than 32 digits are refused, where upstream fails' },
  { input: 0.5, reason: 'a fraction is refused, not rounded down to no time at all' },
  { input: 1.9, reason: 'a fraction is refused, not rounded down' },
  { input: Number.POSITIVE_INFINITY, reason: 'no number of seconds, where upstream fails' },
];

const file = new URL('./data/hermes-estop.json', import.meta.url);
const recorded: { durations: RecordedDuration[] } = JSON.parse(readFileSync(file, 'utf8'));
const durations = recorded.durations.map((entry) => {
  const input = entry.input_special === undefined ? entry.input : Number(entry.input_special);
  return { title: escaped(entry.input_special ?? input), input, recorded: answerOf(entry) };
});

/** The recorded answer in the form of ours; a text where upstream failed, which equals no answer. */
function answerOf(entry: RecordedDuration): bigint | null | string {
  if (entry.raises !== undefined) return `raises ${entry.raises}`;
  if (entry.seconds_big !== undefined) return BigInt(entry.seconds_big);
  return typeof entry.seconds === 'number' ? BigInt(entry.seconds) : null;
}

function deviationOf(input: unknown): Deviation | undefined {
  return DEVIATIONS.find((deviation) => Object.is(deviation.input, input));
}

describe('recorded durations', () => {
  it('are all there', () => {
    expect(durations).toHaveLength(63);
  });

  it.each(durations.filter(({ input }) => deviationOf(input) === undefined))(
    '$title is read as recorded',
    ({ input, recorded: answer }) => {
      expect(parseDuration(input)).toBe(answer);
    },
  );
});

describe('named deviations', () => {
  it.each(DEVIATIONS.map((deviation) => ({ title: escaped(deviation.input), ...deviation })))(
    '$title differs: $reason',
    ({ input, reads = null }) => {
      const answer = durations.find((duration) => Object.is(duration.input, input))?.recorded;
      expect(answer, 'is recorded').toBeDefined();
      expect(parseDuration(input)).toBe(reads);
      expect(parseDuration(input), 'still differs').not.toBe(answer);
    },
  );
});
