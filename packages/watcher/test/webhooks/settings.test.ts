/** Webhooks follow `fleet.yaml` while the watcher runs. */
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hooked, newSecret, writeHooks, writeSecret } from '../support/hooked.ts';
import { receiver } from '../support/receiver.ts';

test('a webhook that stays keeps what waits for it, and a new one begins with the next event', async () => {
  const stays = await receiver();
  stays.answer(503);
  const comes = await receiver();
  const fleet = await hooked([{ url: stays.url }]);
  fleet.record('before');
  await stays.untilCount(1);
  writeHooks(fleet.root, [{ url: comes.url }, { url: stays.url, events: ['profile.*'] }]);
  await fleet.untilView(({ url }) => url === `${stays.url}/`, 1);
  stays.answer(204);
  fleet.record('after');
  await fleet.untilView(({ delivered }) => delivered === 2, 1);
  const [first] = await comes.untilCount(1);
  expect(first?.event.data.profile).toBe('after');
  expect(stays.posts.at(-2)?.event.data.profile).toBe('before');
  expect(fleet.views()).toMatchObject([
    { hook: new URL(comes.url).host, events: null },
    { hook: new URL(stays.url).host, events: ['profile.*'] },
  ]);
});

test('a webhook that is taken out is posted nothing more, and what waited for it is said', async () => {
  const goes = await receiver();
  goes.answer(503);
  const retry = { retries: 9, firstWaitMs: 60_000, longestWaitMs: 60_000, totalMs: 600_000 };
  const fleet = await hooked([{ url: goes.url }], { retry });
  fleet.record('a');
  fleet.record('b');
  await goes.untilCount(1);
  rmSync(join(fleet.root, 'fleet.yaml'));
  const { fields } = await fleet.untilLogged('closed before');
  expect(fields['undelivered']).toBe(2);
  expect((await fleet.ask('/v1/state')).json.webhooks).toEqual([]);
});

test('a save that moves the old file away, or empties it, loses nothing that waits', async () => {
  const hook = await receiver();
  hook.answer(503);
  const fleet = await hooked([{ url: hook.url }]);
  const file = join(fleet.root, 'fleet.yaml');
  for (const [at, begin] of [
    () => renameSync(file, `${file}~`),
    () => writeFileSync(file, ''),
  ].entries()) {
    fleet.record(`waits-${at}`);
    await fleet.untilView(({ pending }) => pending === at + 1);
    begin();
    await delay(60);
    writeHooks(fleet.root, [{ url: hook.url, events: ['profile.*', `round-${at}.*`] }]);
    await fleet.untilView(({ events }) => events?.[1] === `round-${at}.*`);
  }
  hook.answer(204);
  await fleet.untilView(({ delivered }) => delivered === 2);
  const arrived = hook.posts.slice(-2).map(({ event }) => event.data.profile);
  expect(arrived).toEqual(['waits-0', 'waits-1']);
  const lost = fleet.log.filter(({ message }) => /closed before|refused/.test(message));
  expect(lost).toEqual([]);
});

test('a broken edit leaves the webhooks as they were, and is posted itself', async () => {
  const hook = await receiver();
  const fleet = await hooked([{ url: hook.url }]);
  writeFileSync(join(fleet.root, 'fleet.yaml'), 'version: 1\nwatcher: { webhooks: no }\n');
  const [post] = await hook.untilCount(1);
  expect(post?.event).toMatchObject({ type: 'config.rejected', data: { in_force: 'last-good' } });
});

test('two webhooks at one host have two names', async () => {
  const hook = await receiver();
  const fleet = await hooked([{ url: `${hook.url}/a` }, { url: `${hook.url}/b` }]);
  const { host } = new URL(hook.url);
  expect(fleet.views().map((view) => view.hook)).toEqual([host, `${host}#2`]);
  writeHooks(fleet.root, [{ url: `${hook.url}/b` }]);
  await fleet.untilView(({ url }) => url.endsWith('/b'));
  expect(fleet.views().map((view) => view.hook)).toEqual([`${host}#2`]);
});

test('without a secret that can be used nothing is sent, and it is sent when there is one', async () => {
  const hook = await receiver();
  const fleet = await hooked([{ url: hook.url }]);
  const file = join(fleet.root, '.fleet/hook.secret');
  chmodSync(file, 0o644);
  const { secret_refused } = await fleet.untilView((view) => view.secret_refused !== null);
  expect(secret_refused).toContain('other users may read');
  fleet.record('a');
  fleet.record('b');
  await fleet.untilView(({ pending }) => pending === 2);
  // It is looked at every 20 ms, and said once.
  await delay(100);
  rmSync(file);
  await fleet.untilView((view) => view.secret_refused === 'there is no such file');
  writeSecret(fleet.root, newSecret());
  await hook.untilCount(2);
  await fleet.untilView((view) => view.secret_refused === null && view.delivered === 2);
  const said = fleet.log.filter(({ message }) => message.includes('secret cannot be used'));
  expect(said.map(({ level, fields }) => [level, fields['why']])).toEqual([
    ['error', expect.stringContaining('other users may read')],
    ['error', 'there is no such file'],
  ]);
  expect((await fleet.ask('/readyz')).status).toBe(200);
});

test('a watcher closes while it waits for a secret', async () => {
  const fleet = await hooked([{ url: 'http://127.0.0.1:9/' }], {}, { secret: 'short' });
  fleet.record('a');
  await fleet.untilView(({ pending }) => pending === 1);
  await fleet.close();
  await fleet.untilLogged('closed before');
});
