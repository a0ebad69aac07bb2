/**
 * Completes a command line that is being typed, for the scripts that `fleet completion` prints. It reads the
 * disk, never writes, and suggests nothing on errors.
 * Values from the fleet are `suggestions.ts`; the scripts are `verbs/completion/scripts.ts`.
 */
import type { Argument, Command, Option } from 'commander';
import { commandOf, globalOptions } from '../program.ts';
import { hidesSomething, shellWord, visible } from '../text/visible.ts';
import { entryOf, VERBS } from '../verb-table.ts';
import { type Suggestion, suggestionsFor } from './suggestions.ts';

/** Instructions to the script instead of suggestions: complete a folder, or the command after `--`. */
type Directive = ':folders' | ':command';
type Answer = readonly Suggestion[] | Directive;

const NOTHING: Answer = [];
/** Global options with a value, which may come before the verb. */
const VALUED = ['--root', '--color'];

/**
 * Lines for the completion script: `value`, or `value<tab>description`. Arguments: the shell, the part of the
 * typed word that the shell does not replace, and the words after `fleet`, the typed one last.
 */
export async function complete([
  shell = '',
  prefix = '',
  ...words
]: readonly string[]): Promise<string> {
  const raw = words.at(-1) ?? '';
  // Fish removes the quotes from every word but the one that is typed.
  const typed = words.map((word, at) =>
    shell === 'fish' && at < words.length - 1 ? word : unquoted(word),
  );
  const answer = await answerTo(typed);
  if (typeof answer === 'string') return `${answer}\n`;
  const current = typed.at(-1) ?? '';
  return answer
    .filter(({ value }) => value.startsWith(current) && !hidesSomething(value))
    .filter(({ value }) => value.startsWith(prefix))
    .map(({ value, about }) => lineFor(shell, raw, value.slice(prefix.length), about))
    .join('');
}

function lineFor(shell: string, raw: string, value: string, about: string): string {
  if (shell === 'bash') {
    const word = bashWord(raw, value);
    return word === null ? '' : `${word}\n`;
  }
  return about === '' ? `${value}\n` : `${value}\t${visible(about)}\n`;
}

/** Words that need no quotes, also if they begin like an option. */
const PLAIN = /^[A-Za-z0-9_./:@%+,=-]+$/;

/** The word as bash must insert it; null: it cannot be inserted within the open quotes. */
function bashWord(raw: string, value: string): string | null {
  switch (openQuote(raw)) {
    case '':
      return PLAIN.test(value) ? value : shellWord(value);
    case "'":
      return value.includes("'") ? null : value;
    default:
      return /["$`\\!]/.test(value) ? null : value;
  }
}

/** The open quote of an unfinished word; empty: none. */
function openQuote(word: string): string {
  const closed = word.replace(/\\.|'[^']*'|"(?:[^"\\]|\\.)*"/gs, '');
  return /["']/.exec(closed)?.[0] ?? '';
}

async function answerTo(words: readonly string[]): Promise<Answer> {
  const current = words.at(-1) ?? '';
  const { verb, root, pending, rest } = beforeVerb(words.slice(0, -1));
  if (pending !== null)
    return pending === '--root' ? ':folders' : suggestionsFor('color', root, '');
  if (verb === undefined) {
    return current.startsWith('-') ? optionsOf(globalOptions()) : verbs();
  }
  if (verb === 'help') return rest.length === 0 ? verbs() : NOTHING;
  const { load, wraps } = entryOf(verb);
  if (wraps !== undefined && rest.includes('--')) return ':command';
  const command = commandOf(verb, await load(), () => {});
  return within(command, rest, current, root);
}

/** The verb, and the root that is named anywhere so far. */
function beforeVerb(words: readonly string[]) {
  let verb: string | undefined;
  let root: string | undefined;
  let pending: string | null = null;
  const rest: string[] = [];
  for (const word of words) {
    if (pending === '--root') root = word;
    if (word.startsWith('--root=')) root = word.slice('--root='.length);
    if (verb !== undefined) {
      rest.push(word);
      pending = word === '--root' ? word : null;
    } else if (pending !== null) {
      pending = null;
    } else if (VALUED.includes(word)) {
      pending = word;
    } else if (!word.startsWith('-')) {
      verb = word;
    }
  }
  return { verb, root, rest, pending: verb === undefined ? pending : null };
}

async function within(
  command: Command,
  before: readonly string[],
  current: string,
  root: string | undefined,
): Promise<Answer> {
  const { options } = command;
  const named = (word: string): Option | undefined =>
    options.find(({ long, short, required }) => required && (word === long || word === short));
  let pending: Option | undefined;
  let given = 0;
  for (const word of before) {
    if (pending !== undefined) pending = undefined;
    else if (!word.startsWith('-')) given++;
    else pending = named(word);
  }
  if (pending !== undefined) return valuesOf(pending, root, current);

  const [, name = '', text = ''] = /^(--[a-z-]+)=(.*)$/s.exec(current) ?? [];
  const inline = named(name);
  if (inline !== undefined) {
    const answer = await valuesOf(inline, root, text);
    // Not every shell can complete a folder after `--root=`.
    if (typeof answer === 'string') return NOTHING;
    return answer.map(({ value, about }) => ({ value: `${name}=${value}`, about }));
  }
  const argument = command.registeredArguments[given];
  if (current.startsWith('-') || argument === undefined) return optionsOf(options);
  return argumentsFor(argument, root);
}

function valuesOf(
  option: Option,
  root: string | undefined,
  current: string,
): Promise<Answer> | Answer {
  const name = option.attributeName();
  return name === 'root' ? ':folders' : suggestionsFor(name, root, current);
}

function argumentsFor(argument: Argument, root: string | undefined): Promise<Answer> | Answer {
  if (argument.argChoices !== undefined) return argument.argChoices.map(bare);
  if (argument.name() === 'dir') return ':folders';
  return argument.name() === 'holder' ? suggestionsFor('as', root, '') : NOTHING;
}

const verbs = (): Suggestion[] =>
  Object.entries(VERBS).map(([value, { summary }]) => ({ value, about: summary }));

const optionsOf = (options: readonly Option[]): Suggestion[] =>
  options.flatMap(({ long, short, description }) =>
    [long, short].flatMap((value) => (value ? [{ value, about: description }] : [])),
  );

const bare = (value: string): Suggestion => ({ value, about: '' });

/** The word without its quotes and escapes, as far as it is typed. */
function unquoted(word: string): string {
  return word.replace(
    /\\(.)|'([^']*)'?|"((?:[^"\\]|\\.)*)"?/gs,
    (_all, escaped, single, double) => {
      if (escaped !== undefined) return escaped;
      return single ?? String(double).replace(/\\([$`"\\])/g, '$1');
    },
  );
}
