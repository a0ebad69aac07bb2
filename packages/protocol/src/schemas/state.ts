/**
 * The documents about the whole fleet that the watcher serves, and what they say of the watcher.
 */
import * as z from 'zod';
import {
  gateway,
  hold,
  profile,
  rejectedProfile,
  rejectedSettings,
  scope,
  unreadable,
} from './fleet.ts';
import { work } from './ledger.ts';
import {
  instant,
  maybeInstant,
  maybeText,
  maybeWhole,
  text,
  texts,
  truth,
  whole,
} from './values.ts';

const run = {
  epoch: text.describe('Names the run of the watcher.'),
  revision: whole.describe('Of the newest state.'),
  looked_at: instant.describe('When the disk was last read.'),
};

export const served = z
  .strictObject({
    port: maybeWhole.describe('null: not on TCP.'),
    port_refused: maybeText.describe('Why TCP failed: an errno; null: it did not.'),
    socket: maybeText.describe('Path of the unix socket; null: it is not open.'),
    socket_refused: maybeText,
  })
  .describe('Where HTTP is reachable right now.');

export const health = z.strictObject({
  observe: text,
  observing: z
    .strictObject({
      notices: z.enum(['native', 'chokidar']).nullable(),
      polled: whole.describe('Folders that are polled: notices may not come there.'),
    })
    .describe('What `observe` means on this platform and these file systems.'),
  sweep_ms: whole,
  sweep_age_ms: whole.describe('Time since the last full look, whatever caused it.'),
  deaf: whole.describe('Folders without notices: only the sweep sees their changes.'),
  deaf_some: z.array(z.strictObject({ dir: text, why: text })).describe('At most eight of them.'),
  unannounced: whole.describe('Changes that the sweep found without a notice.'),
  journal_unreadable: maybeText,
  seat_missing: maybeText.describe(
    'Why neither gateways nor a second watcher can find this one; null: they can.',
  ),
  http: served,
});

export const webhook = z
  .strictObject({
    hook: text.describe('Host of the address; its name in metrics.'),
    url: text.describe('Without its query.'),
    events: texts.nullable().describe('null: every event.'),
    pending: whole.describe('In the queue, including the one being delivered.'),
    delivered: whole,
    retried: whole.describe('Failed attempts that were followed by another one.'),
    failed: whole.describe('Tried and given up.'),
    dropped: whole.describe('Dropped from a full queue.'),
    missed: whole.describe('Failed or dropped, and not reported to the receiver yet.'),
    last_error: maybeText,
    last_error_at: maybeInstant,
    last_success_at: maybeInstant,
    next_retry_at: maybeInstant,
    secret_refused: maybeText.describe('Why nothing can be signed and sent.'),
  })
  .describe('One webhook of `fleet.yaml`. Counts are of this run of the watcher.');

/** What one look at the disk finds. */
const look = {
  schema: z.literal('fleet/state/v1'),
  root: text,
  looked_at: run.looked_at,
  scopes: z.array(scope).describe('What binds every profile.'),
  profiles: z.array(profile),
  rejected: z
    .array(rejectedProfile)
    .describe('Folders under `profiles/` that are not profiles, and why.'),
  unreadable: z.array(unreadable).describe('All of it counts as held, or is not claimed.'),
};

/** Of `fleet watcher --once`: gateways only connect to a running watcher. */
export const lookedAt = z.strictObject({
  ...look,
  epoch: z.null(),
  revision: z.null(),
  starting: z.null(),
  gateways: z.null(),
});

/** The state that a watcher knows, before what the HTTP service adds to it. */
export const knownState = z.strictObject({
  ...look,
  ...run,
  starting: truth.describe(
    'The watcher started less than 6 s ago: gateways of an earlier one may still be connecting.',
  ),
  gateways: z.array(gateway),
});

export const state = z.strictObject({
  ...knownState.shape,
  config: z.strictObject({
    rejected: z.array(rejectedSettings),
    writing: z
      .enum(['off', 'token'])
      .describe('token: writing needs the token; off: there is no token file.'),
  }),
  health,
  webhooks: z.exactOptional(z.array(webhook)).describe('Of a watcher that sends webhooks.'),
});

export const profileState = z.strictObject({
  schema: z.literal('fleet/profile/v1'),
  ...run,
  root: text,
  profile,
  holds: z.array(hold).describe('What binds it, nearest first.'),
  gateways: z.array(gateway).describe('Those that serve it.'),
  work,
});

/** `cut.ts` of the watcher reads it by hand: its messages name the mistake. */
export const cutRequest = z.strictObject({
  id: text.min(1).max(256).describe('Of the operation, such as one restart.'),
  reason: text.max(1_024).describe('Shown to the people who are told.'),
  deadline_ms: whole.min(1).max(600_000).describe('Milliseconds for telling people.'),
});

export const cut = z
  .strictObject({
    schema: z.literal('fleet/cut/v1'),
    id: text,
    profile: text,
    gateways: z.array(
      z.strictObject({
        instance: text,
        pid: whole,
        outcome: z
          .enum(['done', 'silent', 'unsupported'])
          .describe(
            'done: it has answered. silent: it did not, until the deadline; whom it told is unknown. unsupported: it is too old, and tells nobody.',
          ),
        told: maybeWhole.describe('Conversations that were told; null: unknown.'),
        failed: maybeWhole.describe('Conversations that could not be told; null: unknown.'),
        left: maybeWhole.describe('Pieces of work still in hand; null: unknown.'),
      }),
    ),
  })
  .describe('What came of telling the owners of a profile’s work that it is cut.');

export const gateways = z.strictObject({
  schema: z.literal('fleet/gateways/v1'),
  ...run,
  gateways: z.array(gateway),
});

export const alive = z.strictObject({
  schema: z.literal('fleet/health/v1'),
  alive: z.literal(true),
  pid: whole,
  epoch: text,
  revision: whole,
});

export const ready = z.strictObject({
  schema: z.literal('fleet/ready/v1'),
  ready: truth,
  blind: texts.describe('Why not; empty where it is.'),
  ...run,
  rejected: z
    .array(rejectedSettings)
    .describe('Rejected settings files, and what is in force instead.'),
  unreadable: look.unreadable,
  health,
});

export const error = z.strictObject({
  schema: z.literal('fleet/error/v1'),
  code: text.describe('Stable.'),
  message: text.describe('For people.'),
  hint: text.describe('What to do now.'),
});
