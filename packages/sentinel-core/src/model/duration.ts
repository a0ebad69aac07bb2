/**
 * Reads the duration of a hold.
 * The caller computes the deadline and handles one beyond the range of dates.
 */
import { stripSpace } from './space.ts';

// More than any real count has; it bounds the work for one text.
const MAX_DIGITS = 32;
const NUMBER_LIMIT = 10 ** MAX_DIGITS;

const SECONDS = { d: 86_400n, h: 3600n, m: 60n, s: 1n } as const;

const COUNT = `([0-9]{1,${MAX_DIGITS}})`;
/** One count, then a unit or nothing. Space may stand between the two. */
const SINGLE = new RegExp(`^${COUNT}([^0-9]*)$`);
/** Units from large to small, each at most once, without space. */
const COMPOUND = new RegExp(`^(?:${COUNT}d)?(?:${COUNT}h)?(?:${COUNT}m)?(?:${COUNT}s)?$`);

/**
 * Reads a duration in whole seconds, always more than zero; null: refused. Accepts the texts `45m`,
 * `2h`, `2d`, `15s`, `1h30m` and bare digits for seconds, in lower case, with space around them and
 * before a single unit; and numbers, which are whole seconds. Refuses signs, fractions, exponents,
 * non-ASCII digits and counts of more than 32 digits instead of guessing. Throws nothing.
 */
export function parseDuration(input: unknown): bigint | null {
  const seconds = typeof input === 'string' ? readText(stripSpace(input)) : readNumber(input);
  return seconds !== null && seconds > 0n ? seconds : null;
}

function readNumber(input: unknown): bigint | null {
  // A fraction is refused and never rounded: half a second is neither zero nor one second.
  if (typeof input !== 'number' || !Number.isInteger(input) || input >= NUMBER_LIMIT) return null;
  return BigInt(input);
}

function readText(text: string): bigint | null {
  const single = SINGLE.exec(text);
  if (single !== null) {
    const [, count = '', unit = ''] = single;
    const unitSeconds = secondsOf(stripSpace(unit));
    return unitSeconds === null ? null : BigInt(count) * unitSeconds;
  }
  const compound = COMPOUND.exec(text);
  if (compound === null) return null;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = compound;
  return (
    BigInt(days) * SECONDS.d +
    BigInt(hours) * SECONDS.h +
    BigInt(minutes) * SECONDS.m +
    BigInt(seconds) * SECONDS.s
  );
}

function secondsOf(unit: string): bigint | null {
  switch (unit) {
    case 'd':
    case 'h':
    case 'm':
    case 's':
      return SECONDS[unit];
    case '':
      return SECONDS.s;
    default:
      return null;
  }
}
