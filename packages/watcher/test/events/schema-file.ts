/**
 * The event schema as a separate file; and a stricter one that finds undescribed keys.
 */
import { eventFileSchema } from '@fleet-estop/protocol/schemas';

export const fileText = (): string =>
  `${JSON.stringify(eventFileSchema, null, 2).replace(LIST_OF_SCALARS, onOneLine)}\n`;

/** As the formatter of this repository wants them: on one line where that has room. */
const LIST_OF_SCALARS = /^( *)(.*)\[\n[^[\]{}]*\]/gm;

function onOneLine(list: string): string {
  const flat = list
    .replace(/\[\s+/, '[')
    .replace(/\s+\]$/, ']')
    .replace(/,\n\s+/g, ', ');
  return flat.length < 100 ? flat : list;
}

/** Every object has the keys that are described, and no others. */
export function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const all = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]));
  const isObject = 'properties' in all && all['type'] === 'object';
  return isObject ? { ...all, additionalProperties: false } : all;
}
