/**
 * JSON Schemas made from the schemas.
 * A reader must accept what later versions add, so objects are open here, but for requests.
 */
import * as z from 'zod';

export interface JsonSchema {
  readonly [key: string]: unknown;
}

/** Each schema by its name; where one contains another, it refers to `path` and its name. */
export function jsonSchemas(
  named: Readonly<Record<string, z.ZodType>>,
  path: string,
  closed: readonly string[] = [],
): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `${path}${id}`,
    override,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _version, $id: _uri, ...schema }]) => [
      id,
      closed.includes(id) ? schema : opened(schema),
    ]),
  );
}

/** Leaves out what only restates a format or the largest number of JavaScript. */
function override({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

function opened(schema: unknown): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_key, value) => {
    if (value?.additionalProperties === false) delete value.additionalProperties;
    return value;
  });
}
