/**
 * Schemas of what is read from the records that gateways leave in profile homes: a part of
 * `/openapi.json`.
 * Keys are part of the contract: new ones may be added, none is removed or changed.
 */
import type { Schema } from './json-schema.ts';

const text: Schema = { type: 'string' };
const maybeText: Schema = { type: ['string', 'null'] };
const whole: Schema = { type: 'integer', minimum: 0 };
const maybeWhole: Schema = { type: ['integer', 'null'], minimum: 0 };
const truth: Schema = { type: 'boolean' };
const instant: Schema = { type: 'string', format: 'date-time' };
const maybeInstant: Schema = { type: ['string', 'null'], format: 'date-time' };
const list = (items: Schema): Schema => ({ type: 'array', items });

const people: Schema = {
  enum: ['told', 'withheld'],
  description:
    'withheld: every `principal`, and every `id` of work, is null here, known or not. They are shown on the unix socket, and with the token.',
};

/** All keys are required. */
const object = (properties: Readonly<Record<string, Schema>>, description?: string): Schema => ({
  type: 'object',
  ...(description === undefined ? {} : { description }),
  required: Object.keys(properties),
  properties,
});

const profileRefusals = object(
  {
    profile: text,
    refused: { ...whole, description: 'Matching receipts in what was read.' },
    doors: { ...list(object({ door: text, refused: whole })), description: 'Most refusals first.' },
    other_doors: { ...whole, description: 'Refusals of doors that are not listed.' },
    cut: {
      ...truth,
      description: 'Older matching receipts are on disk and were not read.',
    },
    oldest_read: { ...maybeInstant, description: 'For any door; null: none was read.' },
    corrupt: { ...whole, description: 'Lines that are not receipts.' },
    unreadable: { ...maybeText, description: 'Why there may be more than was read.' },
  },
  'What was found in the home of one profile.',
);

const refusedWork = object({
  at: instant,
  profile: { ...text, description: 'The profile in whose home the receipt lies.' },
  door: text,
  principal: { ...maybeText, description: 'null: not known by name, or withheld.' },
  holds: { ...list(text), description: 'Ids of the holds that refused it, nearest first.' },
  pid: { ...whole, description: 'Of the gateway; 0: unknown.' },
  instance: text,
});

const work = object({
  door: maybeText,
  id: { ...maybeText, description: 'null: unreadable, or withheld.' },
  principal: {
    ...maybeText,
    description: 'null: unknown, unreadable, or withheld.',
  },
  since: { ...maybeText, description: 'As on disk, which may be invalid.' },
  owner: maybeText,
  instance: maybeText,
  host: maybeText,
  pid: { ...maybeWhole, description: 'Of the process that does the work.' },
  fate: { $ref: '#/components/schemas/Fate' },
});

export const ledgerSchemas: Readonly<Record<string, Schema>> = {
  Fate: {
    enum: ['running', 'unproven', 'abandoned'],
    description:
      'unproven: its process cannot be seen from here and its gateway is silent; it counts as running. abandoned: its process is certainly gone.',
  },
  Work: object(
    {
      looked_at: instant,
      counts: {
        oneOf: [
          object({ running: whole, unproven: whole, abandoned: whole }),
          { type: 'null', description: 'Not all of it could be read; this does not mean none.' },
        ],
      },
      read: { ...whole, description: 'How much was read, at least.' },
      people,
      newest: { ...list(work), maxItems: 50 },
      unreadable: {
        ...list(object({ path: text, why: text })),
        maxItems: 8,
        description: 'Why the counts are null.',
      },
    },
    'Work in hand according to the register on disk, with or without a connected gateway.',
  ),
  Refusals: object(
    {
      schema: { const: 'fleet/refusals/v1' },
      root: text,
      looked_at: instant,
      asked: object({ profile: maybeText, door: maybeText, since: maybeInstant, limit: whole }),
      complete: {
        ...truth,
        description:
          'Every matching receipt on disk is counted. Gateways only keep the newest ones.',
      },
      profiles: {
        ...list(profileRefusals),
        description: 'Without profiles that have nothing to report. A shared home is listed once.',
      },
      unread: { ...whole, description: 'Profiles that were not read because it took too long.' },
      profiles_unreadable: {
        ...maybeText,
        description: 'Why there may be unknown profiles.',
      },
      refused: whole,
      people,
      refusals: { ...list(refusedWork), maxItems: 1_000, description: 'Newest first.' },
    },
    'What holds have refused, from the receipts that gateways leave.',
  ),
};
