/**
 * Reads the fields of a received message with bounds: input from the other end is hostile.
 * The messages are `codec.ts`.
 */

/** The input is not a message of this protocol; `message` names the offending part. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code = 'malformed';
}

/** Characters of a name. */
export const MAX_NAME = 256;

export type Fields = { readonly [key: string]: unknown };

export function object(line: string): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (error) {
    throw new ProtocolError('a line is not JSON', { cause: error });
  }
  return record(parsed, 'a line');
}

export function record(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProtocolError(`${what} is not an object`);
  }
  return value as Fields;
}

export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_NAME;

export function name(fields: Fields, key: string): string {
  const value = fields[key];
  if (isName(value)) return value;
  throw new ProtocolError(
    `\`${key}\` is not a text of 1 to ${MAX_NAME} characters: ${shown(value)}`,
  );
}

export function text(fields: Fields, key: string): string | null {
  const value = fields[key];
  return typeof value === 'string' ? value : null;
}

export function count(fields: Fields, key: string): number {
  const value = fields[key];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new ProtocolError(`\`${key}\` is not a whole number from 0 up: ${shown(value)}`);
}

export function list(fields: Fields, key: string, most: number): Fields[] {
  const value = fields[key];
  if (!Array.isArray(value) || value.length > most) {
    throw new ProtocolError(`\`${key}\` is not a list of at most ${most}: ${shown(value)}`);
  }
  return value.map((item) => record(item, `an item of \`${key}\``));
}

export function strings(fields: Fields, key: string, most: number): string[] {
  const value = fields[key];
  const fits = (item: unknown): item is string =>
    typeof item === 'string' && item.length <= MAX_NAME;
  if (Array.isArray(value) && value.length <= most && value.every(fits)) return value;
  throw new ProtocolError(`\`${key}\` is not a list of at most ${most} names: ${shown(value)}`);
}

/** Shows no content of lists and objects: they can be nested deeper than the stack. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
