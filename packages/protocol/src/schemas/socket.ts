/**
 * The messages between a gateway and the watcher, as they are sent.
 * Received lines are decoded by hand in `codec.ts`, which bounds them before it looks at them; when to
 * send what is decided by the two ends.
 */
import * as z from 'zod';
import { maybeText, scopeKind, text, whole } from './values.ts';

const name = text.min(1).max(256);

export const servedProfile = z
  .strictObject({
    name,
    doors: z.array(text.max(256)).max(64).describe('Its doors for the profile: `turn`, `cron`, …'),
    in_flight: whole.describe('Pieces of work in hand.'),
  })
  .describe('A profile that a gateway serves.');

export const processMark = z
  .strictObject({
    pid: whole.min(1),
    start: text.max(64).describe('Clock ticks since boot, or seconds since 1970; empty: unknown.'),
    boot: text.max(64).describe('Id of the boot of its kernel; empty: unknown.'),
    pid_ns: text.max(64).describe('Process id namespace; empty: unknown.'),
  })
  .describe('Identifies a process for as long as it lives, where ids are reused.');

export const feature = z.enum(['cut', 'goodbye']);

export const hello = z
  .strictObject({
    type: z.literal('hello'),
    protocol: whole,
    instance: name.describe(
      'New for every run of the process. It belongs to the first connection that sent it, while it is open.',
    ),
    secret: z
      .exactOptional(name.min(32))
      .describe(
        'Unguessable, new for every run and the same in every hello. A hello with the same `instance` and `secret` replaces the older connection; without a secret (older gateways) this is not possible. The watcher never shows it.',
      ),
    pid: whole,
    software: name,
    mark: z.exactOptional(processMark),
    unit: z.exactOptional(name).describe('The systemd service that it runs in, if it does.'),
    features: z
      .exactOptional(z.array(feature).max(16))
      .describe('What else it understands. A `cut` is sent only to a gateway that names it.'),
    resume_spread_ms: z
      .exactOptional(whole)
      .describe('Milliseconds over which it spreads its catch-up work after a lift, as it says.'),
    profiles: z.array(servedProfile).max(4_096),
  })
  .describe(
    'First message of a gateway: who it is and what it serves. A later one replaces the list of profiles.',
  );

export const ack = z
  .strictObject({
    type: z.literal('ack'),
    epoch: name,
    revision: whole,
    profile: name,
    in_flight: whole,
  })
  .describe('From a gateway: the state of this revision is in force at its doors.');

export const gatewayHeartbeat = z
  .strictObject({
    type: z.literal('alive'),
    profiles: z
      .array(
        z.strictObject({
          name,
          in_flight: whole,
          refused: whole.describe('Refusals since the gateway started.'),
        }),
      )
      .max(4_096)
      .describe('Profiles whose numbers changed.'),
  })
  .describe('From a gateway: it is alive.');

export const cutDone = z
  .strictObject({
    type: z.literal('cut-done'),
    id: name,
    profile: name,
    told: whole.describe('Conversations that were told.'),
    failed: whole.describe('Conversations that could not be told, or not in time.'),
    left: whole.describe('Pieces of work that are still in hand.'),
  })
  .describe('From a gateway: what came of a `cut`.');

export const goodbye = z
  .strictObject({
    type: z.literal('goodbye'),
    clean: z.boolean().describe('Nothing was cut.'),
    cut: z.array(z.strictObject({ profile: name, door: name, id: text.max(256) })).max(64),
  })
  .describe(
    'Last message of a gateway that closes on purpose, with the work that it leaves undone.',
  );

export const fromGateway = z.discriminatedUnion('type', [
  hello,
  ack,
  gatewayHeartbeat,
  cutDone,
  goodbye,
]);

export const stateHold = z
  .strictObject({
    scope: scopeKind,
    id: name,
    holder: maybeText,
    reason: maybeText,
    since: maybeText,
    expires_at: maybeText,
  })
  .describe('A hold, as a gateway needs it for display. The complete hold is on disk.');

export const state = z
  .strictObject({
    type: z.literal('state'),
    epoch: name,
    revision: whole,
    profile: name,
    engaged: z.boolean(),
    holds: z.array(stateHold).max(192),
    shortened: z
      .exactOptional(z.literal(true))
      .describe('Reasons or holds were left out to fit into one line.'),
  })
  .describe('From the watcher: the complete state of one profile, never a delta.');

export const watcherHeartbeat = z
  .strictObject({ type: z.literal('alive'), epoch: name, revision: whole })
  .describe('From the watcher: it is alive, with its newest revision.');

export const cut = z
  .strictObject({
    type: z.literal('cut'),
    id: name.describe(
      'Of the operation. The same id again is answered the same, and tells nobody.',
    ),
    profile: name,
    reason: text.max(1_024),
    deadline_ms: whole.describe('Milliseconds for telling people.'),
  })
  .describe(
    'From the watcher, on behalf of a restart: tell the owners of the work in hand, and abort it.',
  );

export const connectionRefusal = z
  .strictObject({
    type: z.literal('refused'),
    code: z.enum(['protocol', 'malformed', 'too-long', 'too-many', 'taken', 'slow', 'closing']),
    message: text,
    hint: text,
  })
  .describe('Last message of the watcher: why it closes the connection.');

export const fromWatcher = z.discriminatedUnion('type', [
  state,
  watcherHeartbeat,
  cut,
  connectionRefusal,
]);
