/**
 * Parses `/pause` and `/resume` from a chat message into a command, or into what is wrong with it.
 * Permission and execution are `pause-command.ts` and `act.ts`.
 */
import { MAX_REASON } from '@fleet-estop/sentinel-core';
import { leadingDuration } from './leading-duration.ts';
import { clipped, type Ttl, takeOptions } from './options.ts';

export type PauseCommand =
  | { readonly kind: 'not-a-command' }
  | {
      readonly kind: 'pause';
      /** As written; null if none was given, which keeps an existing one. */
      readonly reason: string | null;
      /** null if none was given, which keeps an existing deadline; `none` removes it. */
      readonly ttl: Ttl | 'none' | null;
      /** true clears the allowlist, so that nobody passes; false keeps an existing one. */
      readonly close: boolean;
    }
  | { readonly kind: 'resume' }
  | { readonly kind: 'status' }
  | { readonly kind: 'help' }
  /** A `/pause` command that is invalid or ambiguous. It changes nothing. */
  | { readonly kind: 'mistaken'; readonly message: string; readonly hint: string };

export const USAGE =
  'write /pause [2h | --ttl 2h | --no-ttl] [--close] [reason], or /pause off (or: /resume), or /pause status';

/** Characters. A longer message is refused; reasons are cut at far fewer. */
const MAX_TEXT = 16 * MAX_REASON;

/** The whole word, in upper or lower case: phones write `/Pause`. */
const COMMAND = /^\s*\/(pause|resume)(?=\s|$)/iu;
/** Chat programs turn two hyphens into one long dash. */
const OPTION = /^(?:--|[–—])(?=\p{L})/u;
/** Questions, if the word stands alone. Followed by more words, it starts a reason. */
const QUESTIONS: ReadonlyMap<string, 'help' | 'status'> = new Map([
  ...['', 'help', '-h', '--help', '—help'].map((word) => [word, 'help'] as const),
  ...['list', 'ls', 'show', 'who', 'what', 'why', 'when'].map((word) => [word, 'status'] as const),
]);
/** These words never start a reason. */
const VERBS: ReadonlyMap<string, 'resume' | 'status'> = new Map([
  ['off', 'resume'],
  ['resume', 'resume'],
  ['status', 'status'],
]);

/**
 * Parses one message. Text that is not for `/pause` or `/resume` is `not-a-command`. Options, including
 * a bare duration, come before the reason; options may also follow it. `/resume` is `/pause off`.
 * Ambiguous text is `mistaken` and never guessed at. Never throws.
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
  // A question word with options is neither a question nor a reason.
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

/** true for every `/pause` or `/resume` message, valid or not. Such messages pass a turn door. */
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
