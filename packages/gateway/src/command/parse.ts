/**
 * Reads `/pause` out of a chat message: what is asked, or what is wrong with how it was asked.
 * Who may ask, and what then happens, is `pause-command.ts`.
 */
import { MAX_REASON } from '@fleet-estop/sentinel-core';
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
  /** Meant for us, and nothing was done. */
  | { readonly kind: 'mistaken'; readonly message: string; readonly hint: string };

const USAGE =
  'write /pause [--ttl 2h | --no-ttl] [--close] [reason], or /pause off (or: /pause resume), or /pause status';

/** Characters. A reason is cut at far fewer, and no message that is longer is a command. */
const MAX_TEXT = 16 * MAX_REASON;

/** The whole word, in any case: a phone writes `/Pause`, and an emergency stop is not for spelling. */
const COMMAND = /^\s*\/pause(?=\s|$)/iu;
/** Chat programs make one long dash of two hyphens. */
const OPTION = /^(?:--|[–—])(?=\p{L})/u;
const ALONE: ReadonlySet<string> = new Set(['off', 'resume', 'status']);

/**
 * What a message asks of `/pause`; every other text is `not-a-command`. Options stand before the
 * reason or at its end. What cannot be read in one way only is `mistaken`, never guessed at.
 */
export function parsePauseCommand(text: string): PauseCommand {
  const [command] = COMMAND.exec(text) ?? [];
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
  const options = takeOptions(asked);
  if ('message' in options) return mistaken(options.message, options.hint);

  const { ttl, close, first, end } = options;
  const [opening = ''] = asked.slice(first, end);
  const verb = opening.toLowerCase();
  if (ALONE.has(verb)) return aloneOrNothing(verb, asked.length === 1);
  if (verb === 'help' && end - first === 1) return mistaken('`/pause help` pauses nothing');
  if (OPTION.test(opening)) return mistaken(`there is no option ${quoted(opening)}`);
  const reason = text.slice(words[first]?.from, words[end - 1]?.to);
  return { kind: 'pause', reason: end > first ? reason : null, ttl, close };
}

/** Is this message for `/pause`, rightly written or not? Such messages pass a turn door. */
export const isPauseCommand = (text: string): boolean => COMMAND.test(text);

function aloneOrNothing(verb: string, alone: boolean): PauseCommand {
  if (!alone) {
    return mistaken(
      `\`/pause ${verb}\` takes nothing more`,
      `write it alone, or begin the reason with another word than \`${verb}\``,
    );
  }
  return { kind: verb === 'status' ? 'status' : 'resume' };
}

const mistaken = (message: string, hint = USAGE) => ({ kind: 'mistaken', message, hint }) as const;

const quoted = (text: string): string => `\`${clipped(text)}\``;
