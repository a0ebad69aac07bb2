/**
 * The fleet's events as CloudEvents 1.0 envelopes, and the other messages of the event stream.
 */
import * as z from 'zod';
import { EVENT_TYPES, type EventType } from '../event-types.ts';
import { hold } from './fleet.ts';
import { instant, maybeText, scopeKind, text, texts, truth, whole } from './values.ts';

export const envelope = z.strictObject({
  specversion: z.literal('1.0'),
  id: text
    .regex(/^[0-9a-z]+-[0-9]+$/)
    .describe('`<epoch>-<revision>`: the same however often the event is sent.'),
  source: text.meta({ format: 'uri-reference' }).describe('The fleet’s root on its host.'),
  type: z.enum(EVENT_TYPES),
  subject: text.describe(
    '`root`, `cluster`, `profile/<name>`, `gateway/<instance>`, `config` or `clock`.',
  ),
  time: instant.describe('When the watcher saw it.'),
  datacontenttype: z.literal('application/json'),
  epoch: text.describe('Names the run of the watcher.'),
  revision: whole.describe('Grows within one epoch; numbers may be skipped.'),
  missed: z
    .exactOptional(z.int().min(1))
    .describe('Only in a webhook: events before this one that its receiver did not accept.'),
  data: z.record(z.string(), z.unknown()),
});

const HOLD = /^(root|cluster|profile\/.+)$/;
const PROFILE = /^profile\/.+$/;
const GATEWAY = /^gateway\/.+$/;

const held = {
  scope: scopeKind,
  profile: maybeText.describe('Name, for the scope of a profile.'),
  dir: text.describe('Folder of the scope, on the host of the watcher.'),
  hold,
};
const at = maybeText.describe('As in the journal.');
const actor = z
  .record(z.string(), z.unknown())
  .nullable()
  .describe('Who did it, by their own account.');
const profile = { profile: text };
const gateway = { instance: text, pid: whole };

interface EventShape {
  readonly about: string;
  readonly subject: RegExp;
  readonly data: z.core.$ZodLooseShape;
}

const shapes: Readonly<Record<EventType, EventShape>> = {
  'hold.armed': { about: 'A new hold stands.', subject: HOLD, data: held },
  'hold.rearmed': {
    about: 'Its holder armed it again, or somebody edited it in place.',
    subject: HOLD,
    data: { ...held, replaced: text.describe('Id of the replaced hold.') },
  },
  'hold.lifted': {
    about: 'It ended before its deadline, and the journal says by whom.',
    subject: HOLD,
    data: { ...held, at, actor },
  },
  'hold.expired': {
    about: 'Its deadline has passed. `at` and `actor` are there only if the journal knew first.',
    subject: HOLD,
    data: { ...held, at: z.exactOptional(at), actor: z.exactOptional(actor) },
  },
  'hold.cleared-externally': {
    about: 'It is gone before its deadline, and the journal does not say that it was lifted.',
    subject: HOLD,
    data: { ...held, journal: text.describe('What the journal says instead.') },
  },
  'hold.unreadable': {
    about: 'The sentinel cannot be read, so it holds everybody.',
    subject: HOLD,
    data: held,
  },
  'profile.paused': {
    about: 'New work of the profile is held, by any scope.',
    subject: PROFILE,
    data: { ...profile, engaged: z.literal(true) },
  },
  'profile.running': {
    about: 'Nothing holds the profile any more.',
    subject: PROFILE,
    data: { ...profile, engaged: z.literal(false) },
  },
  'profile.added': {
    about: 'A new profile exists.',
    subject: PROFILE,
    data: { ...profile, engaged: truth },
  },
  'profile.removed': {
    about: 'A profile is gone; `engaged` is what it was.',
    subject: PROFILE,
    data: { ...profile, engaged: truth },
  },
  'gateway.connected': {
    about: 'A gateway reports the profiles it serves, or responds again.',
    subject: GATEWAY,
    data: {
      ...gateway,
      software: text,
      profiles: texts,
      after: z.exactOptional(z.literal('stale')),
    },
  },
  'gateway.acknowledged': {
    about: 'A gateway has applied this revision of a profile.',
    subject: GATEWAY,
    data: {
      ...gateway,
      ...profile,
      revision: whole,
      in_flight: whole.describe('Work in hand, which continues.'),
      latency_ms: z.number().min(0),
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
  'restart.settled': {
    about: 'What was done about a `fleet restart` that died half-way.',
    subject: PROFILE,
    data: {
      ...profile,
      operation: text.describe('Of the restart.'),
      step: z
        .enum(['held', 'draining', 'cutting', 'restarting', 'verifying'])
        .describe('At which it died.'),
      outcome: z
        .enum(['undone', 'finished', 'held', 'lapsed', 'failed'])
        .describe(
          'undone: nothing had been restarted, and its hold is lifted. finished: a new instance has acknowledged, and its hold is lifted. held: none has, and the hold stands without a deadline. lapsed: its hold was gone. failed: it could not be settled yet.',
        ),
      why: maybeText.describe('With `failed`: a word or errno code.'),
    },
  },
  'config.rejected': {
    about: 'A settings file was rejected; `in_force` says what applies instead.',
    subject: /^config$/,
    data: { path: text, problems: texts, in_force: z.enum(['last-good', 'defaults']) },
  },
  'clock.stepped': {
    about: 'The clock of the watcher’s host was set.',
    subject: /^clock$/,
    data: {
      from: instant.describe('What the clock would show if it had not been set.'),
      to: instant,
      by_ms: z.int().describe('Negative: it was set back.'),
    },
  },
};

const eventOf = (type: EventType) => {
  const { about, subject, data } = shapes[type];
  return envelope
    .extend({
      type: z.literal(type),
      subject: text.regex(subject),
      data: z.strictObject(data),
    })
    .describe(about);
};

const [first, ...rest] = EVENT_TYPES;

/** Any event, with the data of its type. */
export const event = z
  .discriminatedUnion('type', [eventOf(first), ...rest.map(eventOf)])
  .describe(
    'A CloudEvents 1.0 envelope. `epoch`, `revision` and `missed` are extension attributes.',
  );

export const heartbeat = z
  .strictObject({
    epoch: text,
    revision: whole.describe('Revision of the newest state.'),
    looked_at: instant,
    ready: truth.describe('As in /readyz.'),
    blind: texts.describe('Why it is not ready; empty if it is.'),
    sweep_age_ms: whole.describe('Time since the last full look.'),
    heartbeat_ms: whole.describe('The next one comes within this time.'),
    now_ms: whole.describe('The watcher’s clock, milliseconds since the epoch of Unix.'),
  })
  .describe(
    'Data of `heartbeat`, which is not an event of the fleet: at the start of a stream, every few seconds, and when the revision grows without an event.',
  );

export const gap = z
  .strictObject({
    epoch: text.describe('Of the current run of the watcher.'),
    after: text.describe('The last id that the reader saw, as it gave it.'),
    why: z.enum(['another-run', 'too-old', 'not-understood']),
  })
  .describe(
    'Data of `gap`: events after the last one that the reader saw are no longer available. A snapshot follows it.',
  );
