/**
 * Reads how long a hold should last.
 * Which instant that makes, and what to do when a date cannot hold it, is left to the caller.
 */
import { stripSpace } from './space.ts';

// More than any count that is meant, and it bounds the work that a text can ask for.
const MAX_DIGITS = 32;
const NUMBER_LIMIT = 10 ** MAX_DIGITS;

const SECONDS = { d: 86_400n, h: 3600n, m: 60n, s: 1n } as const;

const COUNT = `([0-9]{1,${MAX_DIGITS}})`;
/** One count, then a unit or nothing; space may stand between the two. */
const SINGLE = new RegExp(`^${COUNT}([^0-9]*)$`);
/** Units from large to small, each at most once, and no space inside. */
const COMPOUND = new RegExp(`^(?:${COUNT}d)?(?:${COUNT}h)?(?:${COUNT}m)?(?:${COUNT}s)?$`);

/**
 * Whole seconds, always more than zero; null when refused. Texts are `45m`, `2h`, `2d`, `15s`,
 * `1h30m`, or bare digits for seconds, lower case, with space tolerated around them and before a
 * single unit. Numbers are whole seconds. Signs, fractions, exponents and non-ASCII digits are
 * refused rather than guessed at, and so are counts of more than 32 digits.
 */
export function parseDuration(input: unknown): bigint | null {
  const seconds = typeof input === 'string' ? readText(stripSpace(input)) : readNumber(input);
  return seconds !== null && seconds > 0n ? seconds : null;
}

function readNumber(input: unknown): bigint | null {
  // Half a second is neither no time nor one second, so a fraction is refused, never rounded.
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
