/**
 * Finds a duplicate key in a JSON object. `JSON.parse` silently takes the last one, while another
 * reader on the way (a proxy that checks requests) may take the first.
 */

/** A string with the colon that makes it a key, or the start or end of a list or an object. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g;

/** `json`: valid for `JSON.parse`. null: no duplicate. */
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
