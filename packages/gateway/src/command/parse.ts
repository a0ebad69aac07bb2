/**
 * Reads `/pause` out of a chat message: what is asked, or what is wrong with how it was asked.
 * Who may ask, and what then happens, is `pause-command.ts`.
 */
import { MAX_REASON, parseDuration } from '@fleet-estop/sentinel-core';

export type PauseCommand =
  | { readonly kind: 'not-a-command' }
  | {
      readonly kind: 'pause';
      /** As it was written; null: none was given, and one that stands is kept. */
      readonly reason: string | null;
      /** null: none was given, and a deadline that stands is kept. */
      readonly ttl: Ttl | null;
    }
  | { readonly kind: 'resume' }
  | { readonly kind: 'status' }
  /** Meant for us, and nothing was done. */
  | { readonly kind: 'mistaken'; readonly message: string; readonly hint: string };

export interface Ttl {
  readonly text: string;
  readonly seconds: bigint;
}

const USAGE =
  'write /pause [--ttl 2h] [reason], or /pause off (or: /pause resume), or /pause status';

/** Characters. A reason is cut at far fewer, and no message that is longer is a command. */
const MAX_TEXT = 16 * MAX_REASON;
/** Characters of what was written that a message shows again. */
const MAX_QUOTED = 40;

/** The whole word, in any case: a phone writes `/Pause`, and an emergency stop is not for spelling. */
const COMMAND = /^\s*\/pause(?=\s|$)/iu;
/** Chat programs make one long dash of two hyphens. */
const OPTION = /^(?:--|[–—])(?=\p{L})/u;
const TTL = /^(?:--|[–—])ttl(?:=(.*))?$/su;
const ALONE: ReadonlySet<string> = new Set(['off', 'resume', 'status']);

/**
 * What a message asks of `/pause`; every other text is `not-a-command`. `--ttl` stands before the
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
  const option = takeTtl(asked);
  if ('kind' in option) return option;

  const { ttl, first, end } = option;
  const [opening = ''] = asked.slice(first, end);
  const verb = opening.toLowerCase();
  if (ALONE.has(verb)) return aloneOrNothing(verb, asked.length === 1);
  if (verb === 'help' && asked.length === 1) return mistaken('`/pause help` pauses nothing');
  if (OPTION.test(opening)) return mistaken(`there is no option ${quoted(opening)}`);
  const reason = text.slice(words[first]?.from, words[end - 1]?.to);
  return { kind: 'pause', reason: end > first ? reason : null, ttl };
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

type Taken = {
  readonly ttl: Ttl | null;
  /** Of the words that are left: the first, and the one after the last. */
  readonly first: number;
  readonly end: number;
};

function takeTtl(words: readonly string[]): Taken | Extract<PauseCommand, { kind: 'mistaken' }> {
  const places = words.flatMap((word, at) => (TTL.test(word) ? [at] : []));
  const [at] = places;
  if (at === undefined) return { ttl: null, first: 0, end: words.length };
  if (places.length > 1) return mistaken('`--ttl` is given more than once');

  const joined = TTL.exec(words[at] ?? '')?.[1];
  const text = joined ?? words[at + 1] ?? '';
  const after = at + (joined === undefined ? 2 : 1);
  if (text === '') return mistaken('`--ttl` says no duration', 'write it as --ttl 45m');
  const seconds = parseDuration(text);
  if (seconds === null) {
    return mistaken(
      `\`--ttl ${clipped(text)}\` is not a duration`,
      'write it as 45m, 2h, 1h30m, 2d or plain seconds, lower case and more than zero',
    );
  }
  const ttl = { text, seconds };
  if (at === 0) return { ttl, first: after, end: words.length };
  if (after >= words.length) return { ttl, first: 0, end: at };
  return mistaken('`--ttl` stands in the middle', 'write it before the reason, or at its end');
}

const mistaken = (message: string, hint = USAGE) => ({ kind: 'mistaken', message, hint }) as const;

const quoted = (text: string): string => `\`${clipped(text)}\``;

/** By characters and not by their halves. */
const clipped = (text: string): string =>
  text.length <= MAX_QUOTED ? text : `${[...text].slice(0, MAX_QUOTED).join('')}…`;
