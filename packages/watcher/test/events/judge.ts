/**
 * Validates events against their schemas.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { cloudEvent } from './cloud-event.ts';
import { closed } from './schema-file.ts';

const SCHEMA_FILE = new URL('../../schemas/event-v1.schema.json', import.meta.url);

const options = {
  allErrors: true,
  formats: {
    // RFC 3339, 5.6
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
    'uri-reference': (uri: string) => URL.canParse(uri, 'http://example.org/') && !/\s/.test(uri),
    uri: (uri: string) => URL.canParse(uri),
  },
};
/** What is shipped must pass in the mode in which whoever uses it compiles it. */
const ajv = new Ajv2020({ ...options, strict: true });
const lenient = new Ajv2020({ ...options, strict: false });
const shipped: object = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'));
const validators: readonly (readonly [string, ValidateFunction])[] = [
  ['the shipped schema', ajv.compile(shipped)],
  ['the shipped schema, with no key beside', ajv.compile(closed(shipped) as object)],
  ['CloudEvents', lenient.compile(cloudEvent)],
];

/** What is wrong with an event; empty: nothing. */
export const faultsOf = (event: unknown): readonly string[] =>
  validators.flatMap(([name, isValid]) =>
    isValid(event) ? [] : [`${name}: ${JSON.stringify(isValid.errors)}`],
  );
