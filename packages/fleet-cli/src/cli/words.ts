/**
 * Checks the command line before commander parses it: finds the verb, and refuses an option whose value was
 * forgotten, because commander would take the next option as that value.
 * Parsing is set up in `program.ts`.
 */
import type { Option } from 'commander';
import { nameOf } from './flags.ts';
import { usageError } from './values.ts';

export interface Words {
  /** undefined: none was given. */
  readonly verb: string | undefined;
  /** All words but the verb. Options before the verb belong to it too. */
  readonly rest: readonly string[];
}

/** Global options with a value; they may come before the verb. */
const VALUED = new Set(['--root', '--color']);
const GLOBAL = /^(--(root|color)=.*|--json|--quiet|-q|--help|-h|--version|-V)$/s;

export function splitWords(words: readonly string[]): Words {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (VALUED.has(word)) {
      at++;
    } else if (!word.startsWith('-')) {
      return { verb: word, rest: words.toSpliced(at, 1) };
    } else if (!GLOBAL.test(word)) {
      throw usageError(
        `\`${word}\` comes before the verb`,
        'write the verb first, its options after it',
      );
    }
  }
  return { verb: undefined, rest: words };
}

/** Refuses `--reason -p lane-a` and `-p=lane-a`, which would otherwise act on other profiles than meant. */
export function refuseMistakenValues(words: readonly string[], options: readonly Option[]): void {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return;
    const option = options.find(({ long, short }) => word === long || word === short);
    if (option?.required) {
      const value = words[++at];
      if (value !== undefined && /^-./s.test(value)) {
        throw usageError(
          `\`${word}\` is followed by \`${value}\`, which looks like an option`,
          wordFor(option.flags) ??
            `if it is meant as the value, write \`${nameOf(option)}=${value}\``,
        );
      }
    } else {
      refuseShortEquals(word, options);
    }
  }
}

/** Hints for values that never begin with a dash, by their name in the help. */
const NO_DASH: Readonly<Record<string, string>> = {
  duration: 'a duration begins with a digit: write it as 45m, 2h, 1h30m or 2d',
  instant: 'write date, time and offset, as in 2026-11-29T18:00:00+01:00',
  name: 'a name begins with a letter or a digit',
  operation: 'an operation’s id begins with op-',
  selector: 'write it as key=value, key!=value, key or !key',
  count: 'give a number',
  number: 'give a number',
  code: 'give a number',
  ...Object.fromEntries(
    ['when', 'state', 'format', 'type', 'how', 'level'].map((name) => [
      name,
      'use one of the words that --help lists',
    ]),
  ),
};

const wordFor = (flags: string): string | undefined => NO_DASH[/<(.+)>/.exec(flags)?.[1] ?? ''];

function refuseShortEquals(word: string, options: readonly Option[]): void {
  const short = /^-[^-]=/s.test(word) ? word.slice(0, 2) : null;
  if (short === null || !options.some((option) => option.short === short)) return;
  throw usageError(
    `\`${word}\` has a \`=\` after a short option`,
    `write \`${short} ${word.slice(3)}\``,
  );
}
