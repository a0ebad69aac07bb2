/**
 * Cuts a stream of bytes into lines, with bounded memory.
 * What a line says is `codec.ts`.
 */
import { MAX_LINE_BYTES } from './messages.ts';

/** Takes chunks as they come; calls `line` for each whole line, without its newline. */
export interface LineReader {
  /** false: a line was too long or no UTF-8, and nothing more will be read. */
  push(chunk: Uint8Array): boolean;
}

export function lineReader(line: (text: string) => void, maxBytes = MAX_LINE_BYTES): LineReader {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let broken = false;

  const take = (part: Uint8Array): boolean => {
    if (heldBytes + part.length >= maxBytes) return false;
    held.push(part);
    heldBytes += part.length;
    return true;
  };
  const flush = (): boolean => {
    const whole = new Uint8Array(heldBytes);
    let at = 0;
    for (const part of held) {
      whole.set(part, at);
      at += part.length;
    }
    held = [];
    heldBytes = 0;
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
      // Copied: the socket may reuse its buffer.
      if (!take(chunk.slice(from))) broken = true;
      return !broken;
    },
  };
}
