/**
 * The schema of `fleet.yaml`, version 1. Types and the JSON Schema for editors are generated from it.
 * It sets no defaults: they belong to the code that uses a setting.
 */
import * as z from 'zod';
import { duration, mapping, truth, version, visibleText } from './leaves.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

const policies = mapping({
  require_reason: z.exactOptional(truth()).meta({ description: 'Whether a pause needs a reason.' }),
  require_ttl_for: z
    .exactOptional(
      z.array(visibleText('the name of a holder, in which `*` stands for any text', 64), {
        error: 'a list of holders',
      }),
    )
    .meta({
      description: 'Holders whose pauses need a deadline; `*` stands for any text, such as `ci-*`.',
    }),
  max_ttl: z
    .exactOptional(duration('a duration such as `8h` or `1h30m`'))
    .meta({ description: 'The furthest deadline that a pause may have, such as `8h`.' }),
});

const EVENT = 'the name of an event, in which `*` stands for any text';

const webhook = mapping({
  url: z
    .url({ protocol: /^https?$/, error: 'an http or https address' })
    .refine((url) => !carriesPassword(url), {
      error: 'an address without a user or password in it',
    })
    .meta({ description: 'Where events are posted to.' }),
  secret_file: visibleText('the path of a file', 4_096).meta({
    description: 'File that holds the signing secret; a relative path starts at the fleet root.',
  }),
  events: z
    .exactOptional(
      z
        .array(z.string({ error: EVENT }).regex(/^[A-Za-z0-9_.*-]{1,128}$/, { error: EVENT }), {
          error: 'a list of events',
        })
        .min(1, { error: 'at least one event; without this key every event is sent' }),
    )
    .meta({ description: 'Events to send; `*` stands for any text. Without it, every event.' }),
});

/** Limited because each webhook has its own queue. */
const WEBHOOKS = 'a list of at most 32 webhooks';

const PORT = 'a port from 0 to 65535';

const HOST = 'the name of a host, without a port, such as `fleet.example.org`';
const HOSTS = 'a list of at most 32 names of hosts';

const hosts = z
  .array(
    z.string({ error: HOST }).regex(/^([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])$/, {
      error: HOST,
    }),
    { error: HOSTS },
  )
  .max(32, { error: HOSTS });

const watcher = mapping({
  sweep: z
    .exactOptional(
      duration('a duration from `1s` to `10m`', { minMs: SECOND_MS, maxMs: 10 * MINUTE_MS }),
    )
    .meta({ description: 'How often everything is read again, whatever was noticed: 1s to 10m.' }),
  http: z.exactOptional(
    mapping({
      enabled: z
        .exactOptional(truth())
        .meta({ description: 'Whether state is served over HTTP on loopback.' }),
      port: z
        .exactOptional(z.int({ error: PORT }).min(0, { error: PORT }).max(65_535, { error: PORT }))
        .meta({ description: 'TCP port; 0 takes any free one.' }),
      hosts: z.exactOptional(hosts).meta({
        description:
          'Names beside those of loopback under which a proxy on this host passes requests on.',
      }),
    }),
  ),
  webhooks: z.exactOptional(z.array(webhook, { error: WEBHOOKS }).max(32, { error: WEBHOOKS })),
});

const access = mapping({
  group: visibleText('the name of a group', 256).meta({
    description: 'The group whose members share this fleet.',
  }),
});

export const fleetSchema = mapping({
  version: version().meta({ description: 'Version of this format.' }),
  access: z.exactOptional(access),
  observe: z
    .exactOptional(
      z.enum(['auto', 'native', 'chokidar', 'poll'], {
        error: '`auto`, `native`, `chokidar` or `poll`',
      }),
    )
    .meta({ description: 'How changes on disk are noticed.' }),
  policies: z.exactOptional(policies),
  watcher: z.exactOptional(watcher),
}).meta({ title: 'fleet.yaml', description: 'Settings of a fleet, in its root folder.' });

/** `fleet.yaml` as read: the keys of the file; durations have their text and milliseconds. */
export type FleetSettings = z.infer<typeof fleetSchema>;

/** An address is logged, so it must not contain a password. */
function carriesPassword(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
