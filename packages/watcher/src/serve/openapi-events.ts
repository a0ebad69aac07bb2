/**
 * Schemas of the fleet's events: a part of `/openapi.json`, and the whole of the schema file that
 * this package ships.
 * Keys are part of the contract: new ones may be added, none is removed or changed.
 */
import { EVENT_TYPES, type EventType } from '../state/event-log.ts';
import type { Schema } from './json-schema.ts';

const text: Schema = { type: 'string' };
const maybeText: Schema = { type: ['string', 'null'] };
const whole: Schema = { type: 'integer', minimum: 0 };
const instant: Schema = { type: 'string', format: 'date-time' };
const list: Schema = { type: 'array', items: text };
const constant = (name: string | boolean): Schema => ({ const: name });

interface EventShape {
  readonly about: string;
  readonly subject: string;
  readonly data: Readonly<Record<string, Schema>>;
  /** Optional keys of `data`. */
  readonly sometimes?: readonly string[];
}

const HOLD = '^(root|cluster|profile/.+)$';
const PROFILE = '^profile/.+$';
const GATEWAY = '^gateway/.+$';

/** `hold`: a reference to the schema of a hold, resolved by the caller. */
function eventShapes(hold: Schema): Readonly<Record<EventType, EventShape>> {
  const held = {
    scope: { enum: ['profile', 'root', 'cluster'] },
    profile: { ...maybeText, description: 'Name, for the scope of a profile.' },
    dir: { ...text, description: 'Folder of the scope, on the host of the watcher.' },
    hold,
  };
  const line = {
    at: { ...maybeText, description: 'As in the journal.' },
    actor: { type: ['object', 'null'], description: 'Who did it, by their own account.' },
  };
  const profile = { profile: text };
  const gateway = { instance: text, pid: whole };
  return {
    'hold.armed': { about: 'A new hold stands.', subject: HOLD, data: held },
    'hold.rearmed': {
      about: 'Its holder armed it again, or somebody edited it in place.',
      subject: HOLD,
      data: { ...held, replaced: { ...text, description: 'Id of the replaced hold.' } },
    },
    'hold.lifted': {
      about: 'It ended before its deadline, and the journal says by whom.',
      subject: HOLD,
      data: { ...held, ...line },
    },
    'hold.expired': {
      about: 'Its deadline has passed.',
      subject: HOLD,
      data: { ...held, ...line },
      // Only if the journal knew first.
      sometimes: ['at', 'actor'],
    },
    'hold.cleared-externally': {
      about: 'It is gone before its deadline, and the journal does not say that it was lifted.',
      subject: HOLD,
      data: { ...held, journal: { ...text, description: 'What the journal says instead.' } },
    },
    'hold.unreadable': {
      about: 'The sentinel cannot be read, so it holds everybody.',
      subject: HOLD,
      data: held,
    },
    'profile.paused': {
      about: 'New work of the profile is held, by any scope.',
      subject: PROFILE,
      data: { ...profile, engaged: constant(true) },
    },
    'profile.running': {
      about: 'Nothing holds the profile any more.',
      subject: PROFILE,
      data: { ...profile, engaged: constant(false) },
    },
    'profile.added': {
      about: 'A new profile exists.',
      subject: PROFILE,
      data: { ...profile, engaged: { type: 'boolean' } },
    },
    'profile.removed': {
      about: 'A profile is gone; `engaged` is what it was.',
      subject: PROFILE,
      data: { ...profile, engaged: { type: 'boolean' } },
    },
    'gateway.connected': {
      about: 'A gateway reports the profiles it serves, or responds again.',
      subject: GATEWAY,
      data: { ...gateway, software: text, profiles: list, after: constant('stale') },
      sometimes: ['after'],
    },
    'gateway.acknowledged': {
      about: 'A gateway has applied this revision of a profile.',
      subject: GATEWAY,
      data: {
        ...gateway,
        ...profile,
        revision: whole,
        in_flight: { ...whole, description: 'Work in hand, which continues.' },
        latency_ms: { type: 'number', minimum: 0 },
      },
    },
    'gateway.stale': {
      about: 'A connected gateway has been silent for too long.',
      subject: GATEWAY,
      data: { ...gateway, last_seen_at: instant },
    },
    'gateway.gone': {
      about: 'The connection to a gateway has ended. Its holds on disk stand.',
      subject: GATEWAY,
      data: { ...gateway, why: text },
    },
    'config.rejected': {
      about: 'A settings file was rejected; `in_force` says what applies instead.',
      subject: '^config$',
      data: { path: text, problems: list, in_force: { enum: ['last-good', 'defaults'] } },
    },
    'clock.stepped': {
      about: 'The clock of the watcher’s host was set.',
      subject: '^clock$',
      data: {
        from: { ...instant, description: 'What the clock would show if it had not been set.' },
        to: instant,
        by_ms: { type: 'integer', description: 'Negative: it was set back.' },
      },
    },
  };
}

/** Data of `heartbeat`, which is not an event of the fleet. */
export const heartbeatSchema: Schema = {
  type: 'object',
  description:
    'At the start of a stream, every few seconds, and when the revision grows without an event.',
  required: [
    'epoch',
    'revision',
    'looked_at',
    'ready',
    'blind',
    'sweep_age_ms',
    'heartbeat_ms',
    'now_ms',
  ],
  properties: {
    epoch: text,
    revision: { ...whole, description: 'Revision of the newest state.' },
    looked_at: instant,
    ready: { type: 'boolean', description: 'As in /readyz.' },
    blind: { ...list, description: 'Why it is not ready; empty if it is.' },
    sweep_age_ms: { ...whole, description: 'Time since the last full look.' },
    heartbeat_ms: { ...whole, description: 'The next one comes within this time.' },
    now_ms: { ...whole, description: 'The watcher’s clock, milliseconds since the epoch of Unix.' },
  },
};

/** Data of `gap`; a snapshot follows it. */
export const gapSchema: Schema = {
  type: 'object',
  description: 'Events after the last one that the reader saw are no longer available.',
  required: ['epoch', 'after', 'why'],
  properties: {
    epoch: { ...text, description: 'Of the current run of the watcher.' },
    after: { ...text, description: 'The last id that the reader saw, as it gave it.' },
    why: { enum: ['another-run', 'too-old', 'not-understood'] },
  },
};

/** The envelope of every event. `hold`: a reference to the schema of a hold. */
export function eventSchema(hold: Schema): Schema {
  const shapes = eventShapes(hold);
  return {
    type: 'object',
    description:
      'A CloudEvents 1.0 envelope. `epoch`, `revision` and `missed` are extension attributes.',
    required: ['specversion', 'id', 'source', 'type', 'subject', 'time', ...OTHER_ATTRIBUTES],
    properties: {
      specversion: constant('1.0'),
      id: {
        ...text,
        pattern: '^[0-9a-z]+-[0-9]+$',
        description: '`<epoch>-<revision>`: the same however often the event is sent.',
      },
      source: { ...text, format: 'uri-reference', description: 'The fleet’s root on its host.' },
      type: { enum: [...EVENT_TYPES] },
      subject: text,
      time: instant,
      datacontenttype: constant('application/json'),
      epoch: { ...text, description: 'Names the run of the watcher.' },
      revision: { ...whole, description: 'Grows within one epoch; numbers may be skipped.' },
      missed: {
        type: 'integer',
        minimum: 1,
        description: 'Only in a webhook: events before this one that its receiver did not accept.',
      },
      data: { type: 'object' },
    },
    oneOf: EVENT_TYPES.map((type) => branch(type, shapes[type])),
  };
}

const OTHER_ATTRIBUTES = ['datacontenttype', 'epoch', 'revision', 'data'];

function branch(type: EventType, { about, subject, data, sometimes = [] }: EventShape): Schema {
  return {
    description: about,
    properties: {
      type: constant(type),
      subject: { type: 'string', pattern: subject },
      data: {
        type: 'object',
        required: Object.keys(data).filter((key) => !sometimes.includes(key)),
        properties: data,
      },
    },
  };
}
