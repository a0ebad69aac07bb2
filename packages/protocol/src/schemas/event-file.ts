/** The JSON Schema of events as a file of its own, for receivers of webhooks. */
import * as events from './events.ts';
import * as fleet from './fleet.ts';
import { type JsonSchema, jsonSchemas } from './json-schema.ts';

const { Event, ...$defs } = jsonSchemas({ Event: events.event, Hold: fleet.hold }, '#/$defs/');

export const eventFileSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'An event of a fleet, version 1',
  ...Event,
  $defs,
};
