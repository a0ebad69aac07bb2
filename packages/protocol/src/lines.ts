/**
 * Splits a stream of bytes into lines, with bounded memory.
 * Decoding a line is `codec.ts`.
 */
import { MAX_LINE_BYTES } from './limits.ts';

/** Splits chunks into lines. */
export interface LineReader {
  /** false: a line was too long or not UTF-8, and all further input is ignored. */
  push(chunk: Uint8Array): boolean;
}

/**
 * Calls `line` for each complete line, without its newline; empty lines are skipped. `maxBytes` includes
 * the newline. Default: MAX_LINE_BYTES.
 */
export function lineReader(line: (text: string) => void, maxBytes = MAX_LINE_BYTES): LineReader {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  /** The incomplete line. The buffer doubles, so a line sent byte by byte is not copied each time. */
  let held = new Uint8Array(0);
  let length = 0;
  let broken = false;

  const take = (part: Uint8Array): boolean => {
    const needed = length + part.length;
    if (needed >= maxBytes) return false;
    if (needed > held.length) {
      const grown = new Uint8Array(Math.min(maxBytes, Math.max(needed, held.length * 2)));
      grown.set(held.subarray(0, length));
      held = grown;
    }
    held.set(part, length);
    length = needed;
    return true;
  };
  const flush = (): boolean => {
    const whole = held.subarray(0, length);
    length = 0;
    let text: string;
    try {
      text = decoder.decode(whole);
    } catch {
      return false;
    }
    if (text !== '') line(text);
    return true;
  };

  return {
    push(chunk) {
      if (broken) return false;
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        if (!take(chunk.subarray(from, end)) || !flush()) {
          broken = true;
          return false;
        }
        from = end + 1;
      }
      if (!take(chunk.subarray(from))) broken = true;
      return !broken;
    },
  };
}
