/**
 * A JSON Schema as the interface description has it.
 */

export interface Schema {
  readonly [key: string]: unknown;
}
