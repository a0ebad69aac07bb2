/**
 * Nothing waits for a receiver, and its queue is bounded.
 */

import { join } from 'node:path';
import { arm } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { pushService } from '../../src/push/service.ts';
import { hooked, QUICK } from '../support/hooked.ts';
import { helloOf, rawGateway } from '../support/push.ts';
import { receiver } from '../support/receiver.ts';
import { disk } from '../support/watched.ts';

test('a receiver that does not answer delays neither another one nor a gateway', async () => {
  const stuck = await receiver();
  stuck.answer(() => {});
  const other = await receiver();
  const urls = [{ url: stuck.url }, { url: other.url }];
  const fleet = await hooked(urls, { timeoutMs: 60_000 }, { services: [pushService] });
  const gateway = await rawGateway(join(fleet.root, '.fleet/watcher.sock'));
  gateway.say(helloOf('i', ['lane-a']));
  await stuck.untilCount(1);
  arm(disk, join(fleet.root, 'profiles/lane-a'), {});
  await gateway.state('lane-a', ({ engaged }) => engaged);
  await other.until((posts) => posts.find(({ event }) => event.type === 'profile.paused'));
  expect(stuck.posts).toHaveLength(1);
  expect((await fleet.untilView(({ pending }) => pending >= 3)).delivered).toBe(0);
});

test('events of one webhook come one at a time and in order', async () => {
  const hook = await receiver();
  let open = 0;
  let most = 0;
  hook.answer((response) => {
    open += 1;
    most = Math.max(most, open);
    setImmediate(() => {
      open -= 1;
      response.writeHead(204).end();
    });
  });
  const { record } = await hooked([{ url: hook.url }]);
  for (let n = 0; n < 200; n += 1) record(`lane-${n}`);
  const posts = await hook.untilCount(200);
  expect(most).toBe(1);
  expect(posts.map(({ event }) => event.data.profile)).toEqual(
    Array.from({ length: 200 }, (_, n) => `lane-${n}`),
  );
});

test('beyond its bound the oldest are dropped and counted, and the next one accepted says so', async () => {
  const hook = await receiver();
  let release = () => {};
  hook.answer((response) => {
    release = () => response.writeHead(204).end();
  });
  const { record, views, untilView, log, ask } = await hooked([{ url: hook.url }], { queue: 10 });
  record('in-hand');
  await hook.untilCount(1);
  for (let n = 0; n < 25; n += 1) record(`lane-${n}`);
  expect(views()).toMatchObject([{ pending: 11, dropped: 15, missed: 15, delivered: 0 }]);
  expect((await ask('/v1/state')).json.webhooks).toMatchObject([{ pending: 11, dropped: 15 }]);
  expect(log.filter(({ message }) => message.includes('queue is full'))).toHaveLength(1);
  hook.answer(204);
  release();
  await untilView(({ delivered }) => delivered === 11);
  const [, first, second] = hook.posts.map(({ event }) => [event.data.profile, event.missed]);
  expect([first, second]).toEqual([
    ['lane-15', 15],
    ['lane-16', undefined],
  ]);
  // Said once for each time that it fills up.
  hook.answer(() => {});
  for (let n = 0; n < 20; n += 1) record(`again-${n}`);
  expect(log.filter(({ message }) => message.includes('queue is full'))).toHaveLength(2);
});

test('a pause of a thousand profiles fits into the queue', async () => {
  const hook = await receiver();
  hook.answer(() => {});
  const { record, views } = await hooked([{ url: hook.url }]);
  for (let n = 0; n < 2_000; n += 1) record(`lane-${n}`);
  expect(views()).toMatchObject([{ pending: 2_000, dropped: 0 }]);
});

test('the watcher closes within a second, and says what was not delivered', async () => {
  const stuck = await receiver();
  stuck.answer(() => {});
  const failing = await receiver();
  failing.answer(500);
  const retry = { retries: 9, firstWaitMs: 60_000, longestWaitMs: 60_000, totalMs: 600_000 };
  const urls = [{ url: stuck.url }, { url: failing.url }];
  const fleet = await hooked(urls, { ...QUICK, retry, timeoutMs: 60_000 });
  fleet.record('a');
  fleet.record('b');
  await stuck.untilCount(1);
  await fleet.untilView(({ next_retry_at }) => next_retry_at !== null, 1);
  const fromMs = performance.now();
  await fleet.close();
  expect(performance.now() - fromMs).toBeLessThan(2_000);
  const said = fleet.log.filter(({ message }) => message.includes('closed before'));
  expect(said.map(({ fields }) => fields['undelivered'])).toEqual([2, 2]);
});

test('an event that is under way when the watcher closes still counts as delivered', async () => {
  const hook = await receiver();
  hook.answer((response) => void setTimeout(() => response.writeHead(204).end(), 100));
  const fleet = await hooked([{ url: hook.url }]);
  fleet.record('a');
  await hook.untilCount(1);
  await fleet.close();
  expect(fleet.views()).toMatchObject([{ delivered: 1, pending: 0 }]);
  expect(fleet.log.map(({ message }) => message).join()).not.toContain('closed before');
});

test('a connection is kept while there is more to send, and not longer', async () => {
  const hook = await receiver();
  const ports = new Set<number>();
  hook.answer((response) => {
    ports.add(response.socket?.remotePort ?? 0);
    response.writeHead(204).end();
  });
  const { record, untilView } = await hooked([{ url: hook.url }]);
  for (let n = 0; n < 20; n += 1) record(`lane-${n}`);
  await untilView(({ delivered }) => delivered === 20);
  expect(ports.size).toBe(1);
  record('later');
  await untilView(({ delivered }) => delivered === 21);
  expect(ports.size).toBe(2);
});
