/**
 * How deep collections are nested, told without recursion and before anything recurses over them.
 */
import type { CST } from 'yaml';

/** Deeper than any schema here. */
const MAX_DEPTH = 16;

/**
 * A part that is nested too deeply; null: none is. Composing such a text runs out of call
 * stack, and where that happens inside a regular expression the whole process ends.
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
