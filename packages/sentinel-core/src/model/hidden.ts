/**
 * Characters that a reader does not see, or that change what they see. Every text that comes from a
 * file or a client is shown, logged or sent to a chat through this file.
 * Cutting a text is for the caller.
 */

/**
 * Controls (C0, DEL, C1), format characters (bidi marks and isolates, zero-width ones, tags), line
 * and paragraph separators, lone surrogates, and letters that are drawn as nothing at all.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\u034f|[\u115f\u1160]|[\u17b4\u17b5]|[\u180b-\u180f]|\u3164|\uffa0|[\u{e0100}-\u{e01ef}]/gu;
const PLAIN = /^[\x20-\x7e]*$/;

/** The text with every hidden character written as `\u{…}`. */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(HIDDEN, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`);
}

export const hidesSomething = (text: string): boolean =>
  !PLAIN.test(text) && text.search(HIDDEN) !== -1;

export const replaceHidden = (text: string, by: string): string => text.replace(HIDDEN, by);

/**
 * The same JSON, and safe on a terminal: hidden characters are escaped. Line breaks stay, because
 * they are never part of a JSON string.
 */
export const visibleJson = (json: string): string =>
  json.replace(HIDDEN, (found) => (found === '\n' ? found : escapedUnits(found)));

const escapedUnits = (text: string): string =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
