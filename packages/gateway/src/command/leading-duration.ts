/**
 * Parses a duration at the start of a reason, as people write it: `2h bad deploy`, `for 30 minutes`.
 * `--ttl` is parsed by `options.ts`.
 */
import { parseDuration } from '@fleet-estop/sentinel-core';
import { clipped, type Ttl } from './options.ts';

export type Leading =
  | { readonly ttl: Ttl /** Of the words: that many belong to it. */; readonly words: number }
  | { readonly message: string; readonly hint: string };

const UNITS = /^(?:(s)(?:ecs?|econds?)?|(m)(?:ins?|inutes?)?|(h)(?:rs?|ours?)?|(d)(?:ays?)?)$/;
/** Looks like a duration, valid or not. A bare number does not: `500 errors` is a reason. */
const MEANT = /^(?:\d+[smhd])+\d*$/;
const HINT = 'write it as 45m, 2h, 1h30m or 2d, more than zero';

/** null if the words do not start with a duration. */
export function leadingDuration(words: readonly string[]): Leading | null {
  const from = words[0]?.toLowerCase() === 'for' ? 1 : 0;
  const [first = '', second = ''] = words.slice(from, from + 2).map(plain);
  const [, number, unit = ''] = /^(\d+)([a-z]*)$/.exec(first) ?? [];
  const isApart = number !== undefined && unit === '' && UNITS.test(second);
  const letter = letterOf(isApart ? second : unit);
  const text = number !== undefined && letter !== null ? `${number}${letter}` : first;
  if (!MEANT.test(text)) {
    // `/pause 45` is ambiguous: 45 minutes, or the number of an incident.
    const isBare = number !== undefined && unit === '' && words.length === from + 1;
    if (!isBare) return null;
    return { message: `\`${clipped(first)}\` has no unit`, hint: HINT };
  }
  const seconds = parseDuration(text);
  if (seconds === null) return { message: `\`${clipped(text)}\` is not a duration`, hint: HINT };
  return { ttl: { text, seconds }, words: from + (isApart ? 2 : 1) };
}

/** Without capitals, which phones write, and without a trailing comma. */
const plain = (word: string): string => word.toLowerCase().replace(/[,.:;]$/, '');

function letterOf(unit: string): string | null {
  const letters = UNITS.exec(unit)?.slice(1) ?? [];
  return letters.find((letter) => letter !== undefined) ?? null;
}
