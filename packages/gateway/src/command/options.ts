/**
 * Parses the options of `/pause`: `--ttl 2h`, `--no-ttl` and `--close`, before the reason or at its end.
 * The words between them are the reason; `parse.ts` reads it.
 */
import { parseDuration } from '@fleet-estop/sentinel-core';

export interface Ttl {
  readonly text: string;
  readonly seconds: bigint;
}

export interface PauseOptions {
  readonly ttl: Ttl | 'none' | null;
  readonly close: boolean;
  /** Index of the first remaining word, and the index after the last one. */
  readonly first: number;
  readonly end: number;
}

interface Mistake {
  readonly message: string;
  readonly hint?: string;
}

/** The words of one option: index of the first, and the index after the last. */
interface OptionSpan {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Chat programs turn two hyphens into one long dash, and phones capitalize first letters. */
const KNOWN = /^(?:--|[–—])(ttl|no-ttl|close)(?:=(.*))?$/isu;
/** Characters of the user's text that a message quotes. */
const MAX_QUOTED = 40;

export function takeOptions(words: readonly string[]): PauseOptions | Mistake {
  const spans: OptionSpan[] = [];
  let ttl: PauseOptions['ttl'] = null;
  for (let at = 0; at < words.length; at++) {
    const [, written, joined] = KNOWN.exec(words[at] ?? '') ?? [];
    if (written === undefined) continue;
    const name = written.toLowerCase();
    if (spans.some((span) => span.name === name)) {
      return { message: `\`--${name}\` is given more than once` };
    }
    const from = at;
    if (name === 'ttl') {
      const read = readTtl(joined ?? words[++at] ?? '');
      if ('message' in read) return read;
      ttl = read;
    } else if (joined !== undefined) {
      return { message: `\`--${name}\` takes no value` };
    }
    spans.push({ name, from, to: at + 1 });
  }
  const isGiven = (name: string): boolean => spans.some((span) => span.name === name);
  if (isGiven('no-ttl')) {
    if (ttl !== null) return { message: '`--ttl` and `--no-ttl` contradict each other' };
    ttl = 'none';
  }
  const { first, end, between } = around(spans, words.length);
  if (between !== undefined) {
    return {
      message: `\`--${between.name}\` is in the middle of the reason`,
      hint: 'write it before the reason, or at its end',
    };
  }
  return { ttl, close: isGiven('close'), first, end };
}

/** The words between the options at both ends, and an option among those words, if any. */
function around(spans: readonly OptionSpan[], length: number) {
  let first = 0;
  let end = length;
  for (const { from, to } of spans) if (from === first) first = to;
  for (const { from, to } of spans.toReversed()) if (to === end && from >= first) end = from;
  const between = spans.find(({ from, to }) => from >= first && to <= end);
  return { first, end, between };
}

function readTtl(text: string): Ttl | Mistake {
  if (text === '') return { message: '`--ttl` has no duration', hint: 'write it as --ttl 45m' };
  const seconds = parseDuration(text);
  if (seconds !== null) return { text, seconds };
  return {
    message: `\`--ttl ${clipped(text)}\` is not a duration`,
    hint: 'write it as 45m, 2h, 1h30m, 2d or plain seconds, lower case and more than zero',
  };
}

/** Cuts by characters, never inside a surrogate pair. */
export const clipped = (text: string): string =>
  text.length <= MAX_QUOTED ? text : `${[...text].slice(0, MAX_QUOTED).join('')}…`;
