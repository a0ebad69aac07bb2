/**
 * Makes commander options that refuse an empty value, and a second value where only one makes sense.
 * Checks of the raw words before parsing are `words.ts`.
 */
import { Option } from 'commander';
import { usageError } from './values.ts';

type Read = (text: string) => string;

/** Takes one value. `repeat`: whether a second value is refused, or accepted if it is the same. */
export function valued(
  flags: string,
  description: string,
  { read = (text) => text, repeat = 'refuse' }: { read?: Read; repeat?: 'refuse' | 'same' } = {},
): Option {
  const option = new Option(flags, description);
  return option.argParser((text: string, before: string | undefined) => {
    const value = read(notEmpty(option, text));
    if (before === undefined) return value;
    if (repeat === 'same' && before === value) return value;
    throw usageError(`\`${nameOf(option)}\` is given twice`, 'give it once');
  });
}

/** Takes one value each time, and collects the distinct values. */
export function repeated(flags: string, description: string, read: Read = (text) => text): Option {
  const option = new Option(flags, description);
  return option.argParser((text: string, before: readonly string[] = []) => {
    const value = read(notEmpty(option, text));
    return before.includes(value) ? before : [...before, value];
  });
}

/** Takes no value. `--no-…` is an ordinary flag, so that commander reports its conflict with the opposite. */
export function flag(flags: string, description: string): Option {
  const option = new Option(flags, description);
  option.negate = false;
  return option;
}

export const nameOf = (option: Option): string => option.long ?? option.flags;

function notEmpty(option: Option, text: string): string {
  if (text !== '') return text;
  throw usageError(
    `the value of \`${nameOf(option)}\` is empty`,
    'give a value, or leave the option out',
  );
}
