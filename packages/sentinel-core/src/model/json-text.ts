/**
 * Writes JSON for other programs. jq and most checkers of UTF-8 refuse a whole document because of
 * one lone surrogate in a reason.
 * `json.ts` writes bodies, and keeps lone surrogates.
 */

/**
 * Writes `document` as JSON, with `indent` spaces a level (default 0: one line). Each lone
 * surrogate in a value becomes U+FFFD, as in any UTF-8 file. Throws what `JSON.stringify` throws.
 */
export function jsonText(document: unknown, indent = 0): string {
  const text = JSON.stringify(document, null, indent);
  // JSON.stringify escapes lone surrogates like this. A text that only looks like one costs the
  // second pass and is kept.
  return text.includes('\\ud') ? JSON.stringify(document, wellFormed, indent) : text;
}

const wellFormed = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value;
