/**
 * Strips surrounding space from what other tools wrote.
 * `stamp.ts` and `duration.ts` read the rest.
 */

// `String.prototype.trim` differs: it keeps U+001C to U+001F and U+0085, which Python strips, and
// strips U+FEFF, which Python keeps. Two readers of one file must see the same text.
const SPACES =
  '\t\n\v\f\r\u001c\u001d\u001e\u001f \u0085\u00a0\u1680' +
  '\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a' +
  '\u2028\u2029\u202f\u205f\u3000';

/** `text` without the characters at both ends that Python's `str.strip()` removes. */
export function stripSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text, start)) start++;
  while (end > start && isSpace(text, end - 1)) end--;
  return text.slice(start, end);
}

function isSpace(text: string, at: number): boolean {
  return SPACES.includes(text.charAt(at));
}
