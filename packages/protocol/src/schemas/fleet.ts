/**
 * What the watcher shows of a fleet: holds, scopes, profiles and gateways.
 * The documents that contain them are `state.ts`.
 */
import * as z from 'zod';
import { feature, processMark } from './socket.ts';
import {
  instant,
  maybeInstant,
  maybeText,
  maybeWhole,
  scopeKind,
  text,
  texts,
  truth,
  whole,
} from './values.ts';

export const hold = z
  .strictObject({
    scope: scopeKind,
    id: text,
    holder: maybeText,
    reason: maybeText,
    since: maybeText,
    expires_at: maybeText.describe('As on disk, which may be invalid.'),
    expires_at_ms: z
      .int()
      .nullable()
      .describe('Milliseconds since the epoch of Unix; null: it never expires.'),
    allowed_users: whole.describe('How many may pass; their names are only on disk.'),
    unreadable: maybeText.describe(
      'Why the hold could not be read; null: it could. An empty file is readable.',
    ),
  })
  .describe('One standing refusal of new work.');

export const scope = z.strictObject({
  kind: scopeKind,
  profile: maybeText.describe('Name of the profile, for a profile’s scope.'),
  dir: text,
  engaged: truth,
  expired: truth.describe('An expired sentinel is here and waits for retirement.'),
  generation: maybeText,
  holds: z.array(hold),
  unreadable: maybeText,
});

export const acknowledgement = z
  .strictObject({
    verdict: z
      .enum(['acknowledged', 'not-acknowledged', 'unserved', 'unknown'])
      .describe(
        'acknowledged: by every connected gateway, and there is one. not-acknowledged: a connected one has not. unserved: none is connected. unknown: nobody can say; `why` has the reason.',
      ),
    why: z
      .enum(['fleet-unreadable', 'watcher-starting', 'gateway-returning'])
      .nullable()
      .describe(
        'Why the verdict is unknown; null: it is known. fleet-unreadable: the profile shows its last known state. watcher-starting: gateways of an earlier watcher may still be connecting. gateway-returning: one left a moment ago and may return.',
      ),
    connected: whole.describe('Connected gateways that serve the profile.'),
    acknowledged: whole.describe('How many of them have acknowledged.'),
  })
  .describe('The verdict on the newest state of a profile.');

export const profile = z.strictObject({
  name: text,
  engaged: truth.describe('Held by any scope of its chain.'),
  own: scope
    .nullable()
    .describe('Its own scope; null for the profile `default`, which is served from the root.'),
  revision: maybeWhole.describe('Revision at which its state last changed; null: a single look.'),
  acknowledgement: acknowledgement
    .nullable()
    .describe('Whether its gateways have acknowledged that state; null: a single look.'),
});

export const link = z
  .enum(['connected', 'acknowledged', 'stale', 'gone'])
  .describe(
    'connected: it has sent hello. acknowledged: every profile it serves is at its newest state. stale: silent for longer than a heartbeat allows. gone: the connection ended.',
  );

const gatewayProfile = z.strictObject({
  name: text,
  doors: texts,
  in_flight: whole,
  refused: whole.describe('Refusals since the gateway started.'),
  acknowledged: maybeWhole.describe('The newest revision that it has applied; null: none yet.'),
  acknowledged_at: maybeInstant.describe('When it acknowledged.'),
  standing: z
    .enum(['acknowledged', 'silent', 'stale', 'gone'])
    .describe(
      'Whether it has acknowledged the newest state of this profile, or why not. silent: connected, and it has not. stale: and no other message came for a while. gone: it disconnected before it did.',
    ),
});

export const gateway = z.strictObject({
  instance: text,
  pid: whole,
  software: text,
  mark: z.exactOptional(processMark).describe('Absent of older gateways.'),
  unit: z.exactOptional(text).describe('The systemd service that it runs in, if it says so.'),
  features: z
    .exactOptional(z.array(feature))
    .describe('What it understands besides the oldest form of the protocol.'),
  resume_spread_ms: z
    .exactOptional(whole)
    .describe(
      'Milliseconds over which it spreads its catch-up work after a lift, as it says. Absent: it does not say.',
    ),
  link,
  connected_at: instant,
  last_seen_at: instant,
  gone_at: maybeInstant.describe('When the connection ended; null: it has not.'),
  closed: z
    .exactOptional(z.literal('on-purpose'))
    .describe('It said goodbye before the connection ended. Absent of one that died.'),
  cut: z
    .exactOptional(z.array(z.strictObject({ profile: text, door: text, pieces: whole })))
    .describe('With `closed`: work that it left undone; empty: nothing was cut.'),
  returning: truth.describe('It disconnected a moment ago and may connect again.'),
  profiles: z.array(gatewayProfile),
});

export const rejectedProfile = z.strictObject({ name: text, why: text });

export const rejectedSettings = z.strictObject({
  path: text,
  problems: texts,
  in_force: z.enum(['defaults', 'last-good']),
});

export const unreadable = z.strictObject({ what: text, why: text });
