/**
 * Schemas of what is told from the records that gateways leave in the homes of their lanes: one part
 * of `/openapi.json`. Keys are part of the contract. New keys may come; none goes or changes.
 */
import type { Schema } from './openapi-schemas.ts';

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
    'withheld: every `principal`, and every `id` of work, is null here, known or not. They are told on the unix socket, and to who sends the token.',
};

/** Every key is always there. */
const object = (properties: Readonly<Record<string, Schema>>, description?: string): Schema => ({
  type: 'object',
  ...(description === undefined ? {} : { description }),
  required: Object.keys(properties),
  properties,
});

const profileRefusals = object(
  {
    profile: text,
    refused: { ...whole, description: 'Of what was asked for, in what was read.' },
    doors: { ...list(object({ door: text, refused: whole })), description: 'The most first.' },
    other_doors: { ...whole, description: 'Refusals of doors that there was no place for.' },
    cut: {
      ...truth,
      description: 'Older ones that were asked for are on disk, and were not read.',
    },
    oldest_read: { ...maybeInstant, description: 'Whatever its door; null: none was read.' },
    corrupt: { ...whole, description: 'Lines that are no receipts.' },
    unreadable: { ...maybeText, description: 'Why there may be more than was read.' },
  },
  'What was found in the home of one profile.',
);

const refusedWork = object({
  at: instant,
  profile: { ...text, description: 'In whose home the receipt is.' },
  door: text,
  principal: { ...maybeText, description: 'null: nobody that was known by name; or withheld.' },
  holds: { ...list(text), description: 'Ids of the holds that refused it, nearest first.' },
  pid: { ...whole, description: 'Of the gateway; 0: not told.' },
  instance: text,
});

const work = object({
  door: maybeText,
  id: { ...maybeText, description: 'null: it cannot be read; or withheld.' },
  principal: {
    ...maybeText,
    description: 'null: none was known, or it cannot be read; or withheld.',
  },
  since: { ...maybeText, description: 'As it stands on disk, which may be nonsense.' },
  owner: maybeText,
  instance: maybeText,
  host: maybeText,
  pid: { ...maybeWhole, description: 'Of the process that the work lives in.' },
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
          { type: 'null', description: 'Not all of it could be read. It is not none.' },
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
    'Work in hand, as the register on disk says, whether or not a gateway is there.',
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
          'Every receipt on disk that was asked for is counted. Gateways keep the newest ones only.',
      },
      profiles: {
        ...list(profileRefusals),
        description: 'Without those of which there is nothing to tell. A shared home is told once.',
      },
      unread: { ...whole, description: 'Profiles that were not read: it took too long.' },
      profiles_unreadable: {
        ...maybeText,
        description: 'Why there may be profiles that are not known.',
      },
      refused: whole,
      people,
      refusals: { ...list(refusedWork), maxItems: 1_000, description: 'Newest first.' },
    },
    'What holds have kept back, from the receipts that gateways leave.',
  ),
};
