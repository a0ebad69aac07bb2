/** The JSON Schema for editors, generated from the schema that validates the files. */
import * as z from 'zod';

/** The input side, before durations become milliseconds; draft 7, which all editors support. */
export function jsonSchemaText(schema: z.ZodType): string {
  const document = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return `${JSON.stringify(document, null, 2).replace(LIST_OF_SCALARS, onOneLine)}\n`;
}

/** Formatted like the rest of this repository. */
const LIST_OF_SCALARS = /\[\n[^[\]{}]*\]/g;

const onOneLine = (list: string): string =>
  list
    .replace(/^\[\s+/, '[')
    .replace(/\s+\]$/, ']')
    .replace(/,\n\s+/g, ', ');
