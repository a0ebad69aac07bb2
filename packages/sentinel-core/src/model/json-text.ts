/**
 * JSON for readers that are not ours: jq, and most of what checks UTF-8, refuse a whole document for one
 * half of a surrogate pair in somebody's reason. How a body is written, which keeps it, is `json.ts`.
 */

/** A document as JSON. Each lone surrogate in a value becomes U+FFFD, as it would in any UTF-8 file. */
export function jsonText(document: unknown, indent = 0): string {
  const text = JSON.stringify(document, null, indent);
  // As JSON.stringify escapes them; a text that only looks so costs the second pass and is kept.
  return text.includes('\\ud') ? JSON.stringify(document, wellFormed, indent) : text;
}

const wellFormed = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value;
