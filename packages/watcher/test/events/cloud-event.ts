/**
 * What CloudEvents 1.0.2 requires of an event in its JSON format, in our words: sections 2 and 3 of
 * the specification ("Notations", "Context Attributes") and sections 2 and 3 of its JSON format
 * ("Attributes", "Envelope").
 */
const text = { type: 'string', minLength: 1, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' };

export const cloudEvent = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  // "Required attributes"
  required: ['id', 'source', 'specversion', 'type'],
  properties: {
    id: text,
    source: { ...text, format: 'uri-reference' },
    specversion: { const: '1.0' },
    type: text,
    // "Optional attributes"
    datacontenttype: { ...text, pattern: '^[\\w.+-]+/[\\w.+-]+(;.*)?$' },
    dataschema: { ...text, format: 'uri' },
    subject: text,
    time: { ...text, format: 'date-time' },
    data: true,
    data_base64: { type: 'string', contentEncoding: 'base64' },
  },
  // JSON format 3.1: payload as one of the two.
  not: { required: ['data', 'data_base64'] },
  // "Naming conventions", and "Type system": what is no text or truth value is an integer of 32 bits.
  propertyNames: { anyOf: [{ pattern: '^[a-z0-9]{1,20}$' }, { const: 'data_base64' }] },
  additionalProperties: {
    anyOf: [
      text,
      { type: 'boolean' },
      { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 },
    ],
  },
};
