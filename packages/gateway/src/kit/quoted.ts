/**
 * Quotes a gateway's reply in a failure message: bounded, and safe for a terminal.
 */

/** Characters (UTF-16 code units) of a reply that are shown. */
const MAX_SHOWN = 200;

/**
 * Escaped in addition to what JSON escapes: control characters, format characters (bidi marks, zero-width
 * characters, tags), line and paragraph separators, and invisible letters.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\u034f|[\u115f\u1160]|[\u17b4\u17b5]|[\u180b-\u180f]|\u3164|\uffa0|[\u{e0100}-\u{e01ef}]/gu;

/** The text in double quotes, followed by the number of cut characters if it was cut. */
export function quoted(text: string): string {
  const isCut = text.length > MAX_SHOWN;
  const shown = isCut ? text.slice(0, MAX_SHOWN).replace(/[\ud800-\udbff]$/, '') : text;
  const escaped = JSON.stringify(shown).replace(
    HIDDEN,
    (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return isCut ? `${escaped} and ${text.length - shown.length} characters more` : escaped;
}
