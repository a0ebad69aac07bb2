/**
 * JSON Schemas of every served document, as in `/openapi.json`.
 * Keys are part of the contract, and tests check real answers against these: new ones may be added,
 * none is removed or changed.
 */
import type { Schema } from './json-schema.ts';
import { eventSchema, gapSchema, heartbeatSchema } from './openapi-events.ts';
import { ledgerSchemas } from './openapi-ledger.ts';

const text: Schema = { type: 'string' };
const maybeText: Schema = { type: ['string', 'null'] };
const whole: Schema = { type: 'integer', minimum: 0 };
const maybeWhole: Schema = { type: ['integer', 'null'], minimum: 0 };
const truth: Schema = { type: 'boolean' };
const instant: Schema = { type: 'string', format: 'date-time' };
const maybeInstant: Schema = { type: ['string', 'null'], format: 'date-time' };
const kind: Schema = { enum: ['profile', 'root', 'cluster'] };

const list = (items: Schema): Schema => ({ type: 'array', items });
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const maybe = (schema: Schema): Schema => ({ oneOf: [schema, { type: 'null' }] });
const named = (name: string): Schema => ({ const: name });

/** All keys are required. */
const object = (properties: Readonly<Record<string, Schema>>, description?: string): Schema => ({
  type: 'object',
  ...(description === undefined ? {} : { description }),
  required: Object.keys(properties),
  properties,
});

/** Adds optional keys. */
const beside = (schema: Schema, more: Readonly<Record<string, Schema>>): Schema => ({
  ...schema,
  properties: { ...(schema['properties'] as object), ...more },
});

const run = { epoch: text, revision: whole, looked_at: instant };

/** The effect of a hold that is placed, or would be. */
const effect = {
  replaced_hold: {
    oneOf: [ref('HoldTerms'), { type: 'null' }],
    description: 'This holder’s hold that it replaces.',
  },
  closed_out: { ...list(text), description: 'Who could pass before, and cannot now.' },
  warnings: list(text),
};

export const schemas: Readonly<Record<string, Schema>> = {
  Hold: object(
    {
      scope: kind,
      id: text,
      holder: maybeText,
      reason: maybeText,
      since: maybeText,
      expires_at: { ...maybeText, description: 'As on disk, which may be invalid.' },
      expires_at_ms: { type: ['integer', 'null'], description: 'null: it never expires.' },
      allowed_users: { ...whole, description: 'How many may pass; their names are only on disk.' },
      unreadable: maybeText,
    },
    'One standing refusal of new work.',
  ),
  Scope: object({
    kind,
    profile: maybeText,
    dir: text,
    engaged: truth,
    expired: truth,
    generation: maybeText,
    holds: list(ref('Hold')),
    unreadable: maybeText,
  }),
  Profile: object({
    name: text,
    engaged: { ...truth, description: 'Held by any scope of its chain.' },
    own: maybe(ref('Scope')),
    revision: maybeWhole,
    acknowledgement: maybe(ref('Acknowledgement')),
  }),
  Acknowledgement: object(
    {
      verdict: {
        enum: ['acknowledged', 'not-acknowledged', 'unserved', 'unknown'],
        description:
          'acknowledged: by every connected gateway, and there is one. not-acknowledged: a connected one has not. unserved: none is connected. unknown: one left a moment ago and may return, or the fleet cannot be read.',
      },
      connected: { ...whole, description: 'Connected gateways that serve the profile.' },
      acknowledged: { ...whole, description: 'How many of them have acknowledged.' },
    },
    'The verdict on the newest state of a profile.',
  ),
  Gateway: object({
    instance: text,
    pid: whole,
    software: text,
    link: { enum: ['connected', 'acknowledged', 'stale', 'gone'] },
    connected_at: instant,
    last_seen_at: instant,
    gone_at: { ...maybeInstant, description: 'When the connection ended; null: it has not.' },
    returning: {
      ...truth,
      description: 'It disconnected a moment ago and may connect again.',
    },
    profiles: list(
      object({
        name: text,
        doors: list(text),
        in_flight: whole,
        refused: whole,
        acknowledged: maybeWhole,
        acknowledged_at: { ...maybeInstant, description: 'When it acknowledged.' },
        standing: {
          enum: ['acknowledged', 'silent', 'stale', 'gone'],
          description: 'Whether it has acknowledged the newest state of this profile, or why not.',
        },
      }),
    ),
  }),
  RejectedSettings: object({
    path: text,
    problems: list(text),
    in_force: { enum: ['defaults', 'last-good'] },
  }),
  Unreadable: object({ what: text, why: text }),
  Health: object({
    observe: text,
    observing: object(
      {
        notices: { enum: ['native', 'chokidar', null] },
        polled: { ...whole, description: 'Folders that are polled: notices may not come there.' },
      },
      'What `observe` means on this platform and these file systems.',
    ),
    sweep_ms: whole,
    sweep_age_ms: whole,
    deaf: whole,
    deaf_some: list(object({ dir: text, why: text })),
    unannounced: whole,
    journal_unreadable: maybeText,
    seat_missing: {
      ...maybeText,
      description: 'Why neither gateways nor a second watcher can find this one; null: they can.',
    },
    http: object({
      port: maybeWhole,
      port_refused: maybeText,
      socket: maybeText,
      socket_refused: maybeText,
    }),
  }),
  Webhook: object(
    {
      hook: { ...text, description: 'Host of the address; its name in metrics.' },
      url: { ...text, description: 'Without its query.' },
      events: { type: ['array', 'null'], items: text, description: 'null: every event.' },
      pending: { ...whole, description: 'In the queue, including the one being delivered.' },
      delivered: whole,
      retried: { ...whole, description: 'Failed attempts that were followed by another one.' },
      failed: { ...whole, description: 'Tried and given up.' },
      dropped: { ...whole, description: 'Dropped from a full queue.' },
      missed: { ...whole, description: 'Failed or dropped, and not reported to the receiver yet.' },
      last_error: maybeText,
      last_error_at: maybeInstant,
      last_success_at: maybeInstant,
      next_retry_at: maybeInstant,
      secret_refused: { ...maybeText, description: 'Why nothing can be signed and sent.' },
    },
    'One webhook of `fleet.yaml`. Counts are of this run of the watcher.',
  ),
  State: beside(
    object({
      schema: named('fleet/state/v1'),
      ...run,
      root: text,
      scopes: { ...list(ref('Scope')), description: 'What binds every profile.' },
      profiles: list(ref('Profile')),
      rejected: list(object({ name: text, why: text })),
      unreadable: list(ref('Unreadable')),
      gateways: list(ref('Gateway')),
      config: object({
        rejected: list(ref('RejectedSettings')),
        writing: { enum: ['off', 'token'] },
      }),
      health: ref('Health'),
    }),
    { webhooks: { ...list(ref('Webhook')), description: 'Of a watcher that sends webhooks.' } },
  ),
  ProfileState: object({
    schema: named('fleet/profile/v1'),
    ...run,
    root: text,
    profile: ref('Profile'),
    holds: { ...list(ref('Hold')), description: 'What binds it, nearest first.' },
    gateways: list(ref('Gateway')),
    work: ref('Work'),
  }),
  ...ledgerSchemas,
  Gateways: object({
    schema: named('fleet/gateways/v1'),
    ...run,
    gateways: list(ref('Gateway')),
  }),
  Alive: object({
    schema: named('fleet/health/v1'),
    alive: { const: true },
    pid: whole,
    epoch: text,
    revision: whole,
  }),
  Ready: object({
    schema: named('fleet/ready/v1'),
    ready: truth,
    blind: { ...list(text), description: 'Why not; empty where it is.' },
    ...run,
    rejected: list(ref('RejectedSettings')),
    unreadable: list(ref('Unreadable')),
    health: ref('Health'),
  }),
  Event: eventSchema(ref('Hold')),
  Heartbeat: heartbeatSchema,
  Gap: gapSchema,
  HoldRequest: {
    type: 'object',
    additionalProperties: false,
    required: ['holder'],
    oneOf: [{ required: ['profile'] }, { required: ['root'] }],
    properties: {
      profile: { ...text, pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' },
      root: { const: true, description: 'The whole fleet.' },
      holder: { ...text, minLength: 1, maxLength: 64 },
      reason: { ...maybeText, description: 'Omitted: keep this holder’s reason; null: none.' },
      ttl: { ...maybeText, description: 'Such as 45m or 1h30m. null: no deadline.' },
      until: { type: ['string', 'null'], format: 'date-time' },
      allow_users: { type: ['array', 'null'], items: text, maxItems: 1_000 },
      if_generation: {
        ...maybeText,
        description:
          'Arm only if this is the generation of what stands in the scope; null: only if nothing stands. Else 409.',
      },
      dry_run: { ...truth, description: 'true: write nothing, and answer what would happen.' },
    },
  },
  Armed: object({
    schema: named('fleet/armed/v1'),
    armed: { const: true },
    operation: { ...text, description: 'Id of this call, as in the journal.' },
    hold: ref('Hold'),
    profile: maybeText,
    replaced: maybeText,
    holds: { ...list(ref('Hold')), description: 'Holds in the scope, as read back.' },
    ...effect,
  }),
  WouldArm: object(
    {
      schema: named('fleet/would-arm/v1'),
      armed: { const: false },
      hold: ref('HoldTerms'),
      profile: maybeText,
      generation: { ...maybeText, description: 'For `if_generation`. null: nothing stands.' },
      comparable: {
        ...truth,
        description: 'false: the standing hold has no generation, so omit `if_generation`.',
      },
      ...effect,
    },
    'What would happen now. Nothing was written.',
  ),
  HoldTerms: object(
    {
      id: { ...maybeText, description: 'null: it does not stand yet.' },
      holder: maybeText,
      reason: maybeText,
      since: maybeText,
      expires_at: maybeText,
      allow_users: {
        type: ['array', 'null'],
        items: text,
        description: 'Who may pass; null: nobody.',
      },
      allow_profiles: {
        type: ['array', 'null'],
        items: text,
        description: 'Profiles for which they may pass; null: all.',
      },
    },
    'A hold as shown to clients with write access.',
  ),
  Lifted: object({
    schema: named('fleet/lifted/v1'),
    lifted: { const: true },
    operation: { ...text, description: 'Id of this call, as in the journal.' },
    hold: ref('Hold'),
    profile: maybeText,
    remaining: { ...list(ref('Hold')), description: 'It stays held until these are gone too.' },
    warnings: list(text),
  }),
  Error: object({ schema: named('fleet/error/v1'), code: text, message: text, hint: text }),
};
