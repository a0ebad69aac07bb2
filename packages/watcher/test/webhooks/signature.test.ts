/**
 * What a receiver gets, and how it knows the sender.
 */
import { join } from 'node:path';
import { arm } from '@fleet-estop/sentinel-core';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { hooked, newSecret, writeSecret } from '../support/hooked.ts';
import { type Post, receiver } from '../support/receiver.ts';
import { disk, makeRoot } from '../support/watched.ts';

const verified = (secret: string, { body, headers }: Post) =>
  new Webhook(secret).verify(body, headers);

test('an event is posted as its envelope, and the verifier of Standard Webhooks accepts it', async () => {
  const hook = await receiver();
  const { root, secret, store } = await hooked([{ url: `${hook.url}/fleet?key=of-a-proxy` }]);
  arm(disk, join(root, 'profiles/lane-a'), { reason: 'look at it' });
  const post = await hook.until((posts) => posts.find(({ event }) => event.type === 'hold.armed'));
  expect([post.method, post.path]).toEqual(['POST', '/fleet?key=of-a-proxy']);
  expect(post.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
  expect(post.headers['webhook-id']).toBe(post.event.id);
  expect(verified(secret, post)).toMatchObject({
    specversion: '1.0',
    type: 'hold.armed',
    subject: 'profile/lane-a',
    epoch: store.snapshot().epoch,
    data: { profile: 'lane-a', hold: { reason: 'look at it' } },
  });
});

test('another secret, another body and another time are not accepted', async () => {
  const hook = await receiver();
  const { secret, record } = await hooked([{ url: hook.url }]);
  record('lane-a');
  const [post] = await hook.untilCount(1);
  if (post === undefined) throw new Error('nothing was posted');
  expect(() => verified(newSecret(), post)).toThrow('No matching signature');
  const forged = { ...post, body: post.body.replace('lane-a', 'lane-b') };
  expect(() => verified(secret, forged)).toThrow('No matching signature');
  const later = String(Number(post.headers['webhook-timestamp']) + 1);
  const moved = { ...post, headers: { ...post.headers, 'webhook-timestamp': later } };
  expect(() => verified(secret, moved)).toThrow('No matching signature');
});

test('a changed secret signs the next event, and two secrets in the file both sign', async () => {
  const hook = await receiver();
  const { root, secret, record } = await hooked([{ url: hook.url }]);
  const next = newSecret();
  record('before');
  await hook.untilCount(1);
  writeSecret(root, `${secret}\n${next}\n`);
  record('both');
  await hook.untilCount(2);
  writeSecret(root, next);
  record('after');
  const [before, both, after] = await hook.untilCount(3);
  const accepts = (by: string) =>
    [before, both, after].map((post) => {
      try {
        return post !== undefined && verified(by, post) !== undefined;
      } catch {
        return false;
      }
    });
  expect(accepts(secret)).toEqual([true, true, false]);
  expect(accepts(next)).toEqual([false, true, true]);
});

test('a secret without a prefix is taken as the bytes that it is', async () => {
  const hook = await receiver();
  const secret = 'a passphrase no, but long enough'.replaceAll(' ', '-');
  const { record } = await hooked([{ url: hook.url }], {}, { secret });
  record('lane-a');
  const [post] = await hook.untilCount(1);
  if (post === undefined) throw new Error('nothing was posted');
  const { body, headers } = post;
  expect(new Webhook(secret, { format: 'raw' }).verify(body, headers)).toMatchObject({
    type: 'profile.paused',
  });
});

test('only the events that a webhook asks for are posted to it', async () => {
  const hook = await receiver();
  const fleet = await hooked([{ url: hook.url, events: ['hold.*', 'gateway.gone'] }]);
  fleet.record('lane-a');
  fleet.store.record('gateway.stale', 'gateway/i', {});
  fleet.store.record('gateway.gone', 'gateway/i', {});
  arm(disk, join(fleet.root, 'profiles/lane-a'), {});
  const posts = await hook.untilCount(2);
  expect(posts.map(({ event }) => event.type)).toEqual(['gateway.gone', 'hold.armed']);
  expect(fleet.views()).toMatchObject([{ events: ['hold.*', 'gateway.gone'] }]);
});

test('a pattern that fits no event is said, since it would be silence for good', async () => {
  const { log } = await hooked([{ url: 'http://127.0.0.1:9/', events: ['hold.amred', 'hold.*'] }]);
  const said = log.filter(({ message }) => message.includes('matches no event'));
  expect(said.map(({ fields }) => fields)).toEqual([{ pattern: 'hold.amred' }]);
});

test('what stands when the watcher comes is posted', async () => {
  const hook = await receiver();
  const root = makeRoot('lane-a');
  arm(disk, root, { reason: 'before' });
  await hooked([{ url: hook.url }], {}, { root });
  const posts = await hook.untilCount(2);
  expect(posts.map(({ event }) => [event.type, event.subject])).toEqual([
    ['hold.armed', 'root'],
    ['profile.paused', 'profile/lane-a'],
  ]);
});
