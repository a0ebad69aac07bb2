/**
 * The options of a `/pause`: `--ttl 2h`, `--no-ttl` and `--close`, before the reason or at its end.
 * What is left between them is the reason, and `parse.ts` reads it.
 */
import { parseDuration } from '@fleet-estop/sentinel-core';

export interface Ttl {
  readonly text: string;
  readonly seconds: bigint;
}

export interface Options {
  readonly ttl: Ttl | 'none' | null;
  readonly close: boolean;
  /** Of the words that are left: the first, and the one after the last. */
  readonly first: number;
  readonly end: number;
}

interface Mistake {
  readonly message: string;
  readonly hint?: string;
}

/** Where an option stands: its first word, and the one after its last. */
interface OptionSpan {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Chat programs make one long dash of two hyphens, and phones a capital of a first letter. */
const KNOWN = /^(?:--|[–—])(ttl|no-ttl|close)(?:=(.*))?$/isu;
/** Characters of what was written that a message shows again. */
const MAX_QUOTED = 40;

export function takeOptions(words: readonly string[]): Options | Mistake {
  const spans: OptionSpan[] = [];
  let ttl: Options['ttl'] = null;
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
      message: `\`--${between.name}\` stands in the middle`,
      hint: 'write it before the reason, or at its end',
    };
  }
  return { ttl, close: isGiven('close'), first, end };
}

/** What the options at both ends leave, and one that stands inside of that. */
function around(spans: readonly OptionSpan[], length: number) {
  let first = 0;
  let end = length;
  for (const { from, to } of spans) if (from === first) first = to;
  for (const { from, to } of spans.toReversed()) if (to === end && from >= first) end = from;
  const between = spans.find(({ from, to }) => from >= first && to <= end);
  return { first, end, between };
}

function readTtl(text: string): Ttl | Mistake {
  if (text === '') return { message: '`--ttl` says no duration', hint: 'write it as --ttl 45m' };
  const seconds = parseDuration(text);
  if (seconds !== null) return { text, seconds };
  return {
    message: `\`--ttl ${clipped(text)}\` is not a duration`,
    hint: 'write it as 45m, 2h, 1h30m, 2d or plain seconds, lower case and more than zero',
  };
}

/** By characters and not by their halves. */
export const clipped = (text: string): string =>
  text.length <= MAX_QUOTED ? text : `${[...text].slice(0, MAX_QUOTED).join('')}…`;
