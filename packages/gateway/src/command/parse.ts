/**
 * Reads `/pause` and `/resume` out of a chat message: what is asked, or what is wrong with how it was asked.
 * Who may ask, and what then happens, is `pause-command.ts`.
 */
import { MAX_REASON } from '@fleet-estop/sentinel-core';
import { leadingDuration } from './leading-duration.ts';
import { clipped, type Ttl, takeOptions } from './options.ts';

export type PauseCommand =
  | { readonly kind: 'not-a-command' }
  | {
      readonly kind: 'pause';
      /** As it was written; null: none was given, and one that stands is kept. */
      readonly reason: string | null;
      /** null: none was given, and a deadline that stands is kept. `none`: it is to have none. */
      readonly ttl: Ttl | 'none' | null;
      /** Nobody is to pass; false: nothing was said of it, and an allowlist that stands is kept. */
      readonly close: boolean;
    }
  | { readonly kind: 'resume' }
  | { readonly kind: 'status' }
  | { readonly kind: 'help' }
  /** Meant for us, and nothing was done. */
  | { readonly kind: 'mistaken'; readonly message: string; readonly hint: string };

export const USAGE =
  'write /pause [2h | --ttl 2h | --no-ttl] [--close] [reason], or /pause off (or: /resume), or /pause status';

/** Characters. A reason is cut at far fewer, and no message that is longer is a command. */
const MAX_TEXT = 16 * MAX_REASON;

/** The whole word, in any case: a phone writes `/Pause`, and an emergency stop is not for spelling. */
const COMMAND = /^\s*\/(pause|resume)(?=\s|$)/iu;
/** Chat programs make one long dash of two hyphens. */
const OPTION = /^(?:--|[–—])(?=\p{L})/u;
/** What is asked by one word alone. A reason may begin with such a word where more follows. */
const QUESTIONS: ReadonlyMap<string, 'help' | 'status'> = new Map([
  ...['', 'help', '-h', '--help', '—help'].map((word) => [word, 'help'] as const),
  ...['list', 'ls', 'show', 'who', 'what', 'why', 'when'].map((word) => [word, 'status'] as const),
]);
/** These are never the beginning of a reason. */
const VERBS: ReadonlyMap<string, 'resume' | 'status'> = new Map([
  ['off', 'resume'],
  ['resume', 'resume'],
  ['status', 'status'],
]);

/**
 * What a message asks of `/pause`; every other text is `not-a-command`. Options stand before the
 * reason or at its end; a duration before the reason is one, too. `/resume` is `/pause off`. What
 * cannot be read in one way only is `mistaken`, never guessed at.
 */
export function parsePauseCommand(text: string): PauseCommand {
  const [command, name = ''] = COMMAND.exec(text) ?? [];
  if (command === undefined) return { kind: 'not-a-command' };
  if (text.length > MAX_TEXT) {
    return mistaken(
      `this \`/pause\` is ${text.length} characters long`,
      `a reason has at most ${MAX_REASON}`,
    );
  }
  const words = [...text.slice(command.length).matchAll(/\S+/gu)].map(({ 0: word, index }) => ({
    word,
    from: command.length + index,
    to: command.length + index + word.length,
  }));
  const asked = words.map(({ word }) => word);
  const question = asked.length === 1 ? questionIn(asked[0] ?? '') : undefined;
  if (question !== undefined) return { kind: question };
  if (name.toLowerCase() === 'resume') {
    return asked.length === 0 ? { kind: 'resume' } : takesNoMore('resume');
  }
  const options = takeOptions(asked);
  if ('message' in options) return mistaken(options.message, options.hint);

  const { close, end } = options;
  const said = asked.slice(options.first, end);
  const [opening = ''] = said;
  const verb = VERBS.get(opening.toLowerCase());
  if (verb !== undefined) {
    return asked.length === 1 ? { kind: verb } : takesNoMore(`pause ${opening.toLowerCase()}`);
  }
  // Beside options, so that it is no question alone.
  if (said.length === 1 && questionIn(opening) !== undefined) {
    return mistaken(`\`/pause ${clipped(opening)}\` pauses nothing`);
  }
  if (OPTION.test(opening)) return mistaken(`there is no option ${quoted(opening)}`);
  const leading = leadingDuration(said);
  if (leading !== null && 'message' in leading) return mistaken(leading.message, leading.hint);
  if (leading !== null && options.ttl !== null) {
    return mistaken(`\`${leading.ttl.text}\` and the option of a deadline contradict each other`);
  }
  const first = options.first + (leading?.words ?? 0);
  const reason = text.slice(words[first]?.from, words[end - 1]?.to);
  const ttl = leading?.ttl ?? options.ttl;
  return { kind: 'pause', reason: end > first ? reason : null, ttl, close };
}

/** Is this message for `/pause`, rightly written or not? Such messages pass a turn door. */
export const isPauseCommand = (text: string): boolean => COMMAND.test(text);

const questionIn = (word: string): 'help' | 'status' | undefined => {
  const asked = word.toLowerCase().replace(/[?？]+$/u, '');
  if (asked === word.toLowerCase()) return QUESTIONS.get(asked);
  return VERBS.has(asked) ? 'status' : QUESTIONS.get(asked);
};

const takesNoMore = (command: string): PauseCommand =>
  mistaken(
    `\`/${command}\` takes nothing more`,
    'write it alone, or `/pause` and a reason that begins with another word',
  );

const mistaken = (message: string, hint = USAGE) => ({ kind: 'mistaken', message, hint }) as const;

const quoted = (text: string): string => `\`${clipped(text)}\``;
