/**
 * Checks how deep collections are nested, without recursion and before any recursive code runs.
 */
import type { CST } from 'yaml';

/** Levels of nesting; no schema here needs as many. */
const MAX_DEPTH = 16;

/**
 * A token that is nested too deeply; null if there is none. Composing such a text would overflow the
 * stack, and inside a regular expression that ends the whole process.
 */
export function tooDeepIn(tokens: readonly CST.Token[]): CST.Token | null {
  const open = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (depth > MAX_DEPTH) return token;
    if (token.type === 'document' && token.value) open.push({ token: token.value, depth });
    if (!('items' in token)) continue;
    for (const { key, value } of token.items) {
      if (key) open.push({ token: key, depth: depth + 1 });
      if (value) open.push({ token: value, depth: depth + 1 });
    }
  }
  return null;
}
