/**
 * What each event of the fleet carries: one part of `/openapi.json`, and all of the schema file that
 * this package ships. Keys are part of the contract. New keys may come; none goes or changes.
 */
import { EVENT_TYPES, type EventType } from '../state/event-log.ts';
import type { Schema } from './openapi-schemas.ts';

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
  /** Keys of `data` that are not always there. */
  readonly sometimes?: readonly string[];
}

const HOLD = '^(root|cluster|profile/.+)$';
const PROFILE = '^profile/.+$';
const GATEWAY = '^gateway/.+$';

/** `Hold` is the name of a schema; where it stands is for whoever refers to it. */
function eventShapes(hold: Schema): Readonly<Record<EventType, EventShape>> {
  const held = {
    scope: { enum: ['profile', 'root', 'cluster'] },
    profile: { ...maybeText, description: 'Name, for the scope of a profile.' },
    dir: { ...text, description: 'Folder of the scope, on the host of the watcher.' },
    hold,
  };
  const line = {
    at: { ...maybeText, description: 'As it stands in the journal.' },
    actor: { type: ['object', 'null'], description: 'Who did it, as they say themselves.' },
  };
  const profile = { profile: text };
  const gateway = { instance: text, pid: whole };
  return {
    'hold.armed': { about: 'A hold stands that did not.', subject: HOLD, data: held },
    'hold.rearmed': {
      about: 'Its holder placed it again, or somebody edited it in place.',
      subject: HOLD,
      data: { ...held, replaced: { ...text, description: 'Id of the hold before.' } },
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
      // Only where the journal was first to know.
      sometimes: ['at', 'actor'],
    },
    'hold.cleared-externally': {
      about: 'It is gone before its deadline, and the journal does not say that it was lifted.',
      subject: HOLD,
      data: { ...held, journal: { ...text, description: 'What the journal says instead.' } },
    },
    'hold.unreadable': {
      about: 'What stands cannot be read, and so it holds everybody.',
      subject: HOLD,
      data: held,
    },
    'profile.paused': {
      about: 'New work of the profile is held, by whichever scope.',
      subject: PROFILE,
      data: { ...profile, engaged: constant(true) },
    },
    'profile.running': {
      about: 'Nothing holds the profile any more.',
      subject: PROFILE,
      data: { ...profile, engaged: constant(false) },
    },
    'profile.added': {
      about: 'There is a profile that was not there.',
      subject: PROFILE,
      data: { ...profile, engaged: { type: 'boolean' } },
    },
    'profile.removed': {
      about: 'A profile is gone; `engaged` is what it was.',
      subject: PROFILE,
      data: { ...profile, engaged: { type: 'boolean' } },
    },
    'gateway.connected': {
      about: 'A gateway says which profiles it serves, or is heard again.',
      subject: GATEWAY,
      data: { ...gateway, software: text, profiles: list, after: constant('stale') },
      sometimes: ['after'],
    },
    'gateway.acknowledged': {
      about: 'A gateway says that this revision of a profile is in force at its doors.',
      subject: GATEWAY,
      data: {
        ...gateway,
        ...profile,
        revision: whole,
        in_flight: { ...whole, description: 'Work in hand, which goes on.' },
        latency_ms: { type: 'number', minimum: 0 },
      },
    },
    'gateway.stale': {
      about: 'Nothing was heard of a connected gateway for too long.',
      subject: GATEWAY,
      data: { ...gateway, last_seen_at: instant },
    },
    'gateway.gone': {
      about: 'The connection to a gateway has ended. Its holds on disk stand.',
      subject: GATEWAY,
      data: { ...gateway, why: text },
    },
    'config.rejected': {
      about: 'A settings file was refused, and what is in force instead.',
      subject: '^config$',
      data: { path: text, problems: list, in_force: { enum: ['last-good', 'defaults'] } },
    },
    'clock.stepped': {
      about: 'The clock of the watcher’s host was set.',
      subject: '^clock$',
      data: {
        from: { ...instant, description: 'What it would say, had it not been set.' },
        to: instant,
        by_ms: { type: 'integer', description: 'Less than 0: it was set back.' },
      },
    },
  };
}

/** What `heartbeat` carries: the pulse of the watcher, which is no event of the fleet. */
export const heartbeatSchema: Schema = {
  type: 'object',
  description: 'At the start of a stream, every few seconds, and when the state has a new number.',
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
    revision: { ...whole, description: 'Of the newest state.' },
    looked_at: instant,
    ready: { type: 'boolean', description: 'As /readyz says.' },
    blind: { ...list, description: 'Why it is not ready; empty where it is.' },
    sweep_age_ms: { ...whole, description: 'Since everything was last read.' },
    heartbeat_ms: { ...whole, description: 'The next one comes within this time.' },
    now_ms: { ...whole, description: 'The watcher’s clock, milliseconds since the epoch of Unix.' },
  },
};

/** What `gap` carries: a snapshot follows it. */
export const gapSchema: Schema = {
  type: 'object',
  description: 'What came after the event that was seen last is not known any more.',
  required: ['epoch', 'after', 'why'],
  properties: {
    epoch: { ...text, description: 'Of the watcher that speaks now.' },
    after: { ...text, description: 'The id that was seen last, as the reader said it.' },
    why: { enum: ['another-run', 'too-old', 'not-understood'] },
  },
};

/** The envelope of any event. `hold` refers to the schema of a hold. */
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
      revision: { ...whole, description: 'Grows within one epoch; numbers may be left out.' },
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
