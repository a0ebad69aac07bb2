/**
 * Reads text that people write into a sentinel by hand: `echo "deploy till noon" > ESTOP`.
 * `body.ts` reads a body.
 */

/**
 * Decodes text with a UTF-16 byte order mark, as some shells write it. null: there is no such mark.
 */
export function utf16Text(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return null;
}

/** The first line with visible text, without control and format characters; null: there is none. */
export function reasonOfText(text: string): string | null {
  // It was meant as a body and is torn or misspelt. Half a body is no reason to show.
  if (/^[\ufeff\s]*[{[]/.test(text)) return null;
  for (const line of text.split(/[\r\n\u0085\u2028\u2029]/)) {
    const cleaned = line
      .replaceAll('\t', ' ')
      .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
      .trim();
    if (cleaned !== '') return cleaned;
  }
  return null;
}
