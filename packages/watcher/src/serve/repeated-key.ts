/**
 * Finds a key that an object of a JSON text has twice. `JSON.parse` takes the last one in silence, and
 * another reader on the way (a proxy that checks what is asked for) may take the first.
 */

/** A text with the colon that makes it a key, or the begin or end of a list or an object. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g;

/** `json`: what `JSON.parse` takes. null: there is none. */
export function repeatedKey(json: string): string | null {
  const open: (Set<string> | null)[] = [];
  for (const [token, text, colon] of json.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (text === undefined) open.pop();
    else if (colon !== undefined) {
      // Escapes are resolved: `"a"` and `"\\u0061"` are one key.
      const key: string = JSON.parse(text);
      const keys = open.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return null;
}
