/**
 * The JSON Schema that editors read, made from the schema that the files are judged by.
 */
import * as z from 'zod';

/** What editors write, so before durations become milliseconds; draft 7 is what all of them know. */
export function jsonSchemaText(schema: z.ZodType): string {
  const document = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return `${JSON.stringify(document, null, 2).replace(LIST_OF_SCALARS, onOneLine)}\n`;
}

/** As the formatter of this repository wants them. */
const LIST_OF_SCALARS = /\[\n[^[\]{}]*\]/g;

const onOneLine = (list: string): string =>
  list
    .replace(/^\[\s+/, '[')
    .replace(/\s+\]$/, ']')
    .replace(/,\n\s+/g, ', ');
