/**
 * Matches patterns in which `*` stands for any number of characters, and nothing else is special.
 */

/** true if the whole text matches, case-sensitively. Linear in both lengths, for any number of stars. */
export function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  // Taking the earliest match of each piece leaves most room for the next ones.
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}
