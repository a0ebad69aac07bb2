/**
 * Options as fleet has them: a value is never empty, and one that can stand only once is not
 * silently replaced by a second one.
 * What the words before the parsing look like is `words.ts`.
 */
import { Option } from 'commander';
import { usageError } from './values.ts';

type Read = (text: string) => string;

/** Takes one value. `repeat`: what a second one means. */
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

/** Takes one value each time, and keeps them all once each. */
export function repeated(flags: string, description: string, read: Read = (text) => text): Option {
  const option = new Option(flags, description);
  return option.argParser((text: string, before: readonly string[] = []) => {
    const value = read(notEmpty(option, text));
    return before.includes(value) ? before : [...before, value];
  });
}

/** Takes no value. `--no-…` is a flag of its own here, so that a conflict with its opposite is seen. */
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
