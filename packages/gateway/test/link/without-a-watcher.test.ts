/** A link while no watcher runs: the disk is enough. */
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatInstant, retire } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { disk, hold, homeOf, liftAll, linked, makeRoot, reasons } from '../support/fleets.ts';
import { oddProcess } from '../support/processes.ts';
import { saidWatcher } from '../support/scripted-watcher.ts';

test('what holds each profile is said before `openLink` returns', () => {
  const root = makeRoot('a', 'b');
  hold(homeOf(root, 'a'), 'fan-out');
  const { states, link } = linked(root, ['a', 'b']);
  expect(states.map(({ profile, engaged }) => [profile, engaged])).toEqual([
    ['a', true],
    ['b', false],
  ]);
  expect(reasons(link.state('a'))).toEqual(['fan-out']);
  expect(link.state('elsewhere')).toBe(undefined);
});

test('a pause and a lift are said, of that profile and of no other', async () => {
  const root = makeRoot('a', 'b');
  const { states, untilEngaged } = linked(root, ['a', 'b']);
  hold(homeOf(root, 'a'), 'fan-out');
  expect(reasons(await untilEngaged('a', true))).toEqual(['fan-out']);
  liftAll(homeOf(root, 'a'));
  await untilEngaged('a', false);
  expect(states.filter(({ profile }) => profile === 'b')).toHaveLength(1);
});

test('a root hold is said of every profile, and of the profile of the root', async () => {
  const root = makeRoot('a', 'b');
  const { untilEngaged } = linked(root, ['a', 'b', 'default']);
  hold(root, 'all of it');
  for (const profile of ['a', 'b', 'default']) {
    expect(reasons(await untilEngaged(profile, true))).toEqual(['all of it']);
  }
});

test('a second hold, and the lift of one of two, are said although it stays held', async () => {
  const root = makeRoot('a');
  const { until, newest } = linked(root, ['a']);
  hold(root, 'one');
  await until(() => (reasons(newest('a')).length === 1 ? true : undefined));
  hold(homeOf(root, 'a'), 'two');
  await until(() => (reasons(newest('a')).length === 2 ? true : undefined));
  liftAll(root);
  await until(() => (reasons(newest('a')).join() === 'two' ? true : undefined));
  expect(newest('a')?.engaged).toBe(true);
});

test('a deadline ends a hold by itself, although nothing changes on disk', async () => {
  const root = makeRoot('a');
  hold(homeOf(root, 'a'), 'for a moment', { expiresAt: formatInstant(Date.now() + 400) });
  const { untilEngaged, states } = linked(root, ['a']);
  await untilEngaged('a', true);
  await untilEngaged('a', false);
  expect(states).toHaveLength(2);
  expect(retire(disk, homeOf(root, 'a')).retired).toBe(true);
});

test('a sentinel that cannot be read holds', async () => {
  const root = makeRoot('a');
  const { untilEngaged } = linked(root, ['a']);
  mkdirSync(join(homeOf(root, 'a'), 'ESTOP'));
  const [own] = (await untilEngaged('a', true)).scopes;
  expect(own?.check).toMatchObject({ engaged: true, unreadable: expect.any(String) });
});

test('a sentinel that is set aside is read again soon, since its end causes no notification', async () => {
  const root = makeRoot('a');
  const tenure = join(homeOf(root, 'a'), '.ESTOP.txn');
  mkdirSync(join(tenure, 'u1'), { recursive: true });
  writeFileSync(join(tenure, 'u1', 'claimed:u1'), '{"reason":"aside"}');
  const { untilEngaged, newest } = linked(root, ['a']);
  expect(newest('a')?.engaged).toBe(true);
  rmSync(tenure, { recursive: true });
  await untilEngaged('a', false);
});

test('other profiles are followed from `refresh` on', async () => {
  const root = makeRoot('a', 'b');
  const profiles = ['a'];
  const { link, untilEngaged, states } = linked(root, profiles);
  hold(homeOf(root, 'b'), 'b only');
  profiles.splice(0, 1, 'b');
  link.refresh();
  await untilEngaged('b', true);
  expect(link.state('a')).toBe(undefined);
  liftAll(homeOf(root, 'b'));
  await untilEngaged('b', false);
  expect(states.filter(({ profile }) => profile === 'a')).toHaveLength(1);
});

test('the status says that no watcher is there, and that it is tried again', async () => {
  const { until, statuses } = linked(makeRoot('a'), ['a']);
  const status = await until(() => statuses.at(-1));
  expect(status).toEqual({ link: 'connecting', why: 'ENOENT', hint: null });
});

test('a name that is none is refused before anything is opened', () => {
  const root = makeRoot('a');
  expect(() => linked(root, ['../a'])).toThrow(
    expect.objectContaining({ code: 'PROFILE_INVALID' }),
  );
});

test('after `close` nothing more is said', async () => {
  const root = makeRoot('a');
  const closed = linked(root, ['a']);
  const other = linked(root, ['a']);
  closed.link.close();
  expect(closed.link.status()).toEqual({ link: 'closed' });
  hold(root, 'unheard');
  await other.untilEngaged('a', true);
  expect(closed.states).toHaveLength(1);
});

test('closing it from its own first callback is fine', () => {
  const root = makeRoot('a');
  const box: { close?: () => void } = {};
  const { states } = linked(root, ['a', 'b'], { onState: () => box.close?.() });
  expect(states).toHaveLength(2);
});

test("a mistake in an author's function is theirs to hear of, and stops no looking", async () => {
  const root = makeRoot('a');
  const { until, child } = await oddProcess(root, 'throws');
  hold(root, 'held');
  await until(({ engaged }) => engaged === true);
  liftAll(root);
  const { uncaught } = await until(({ engaged }) => engaged === false);
  expect(uncaught).toEqual(['onState', 'onState', 'onState']);
  child.disconnect();
});

test('a link that is not to keep its process alive does not', async () => {
  const root = makeRoot('a');
  await saidWatcher(root);
  const { child } = await oddProcess(root, 'short-lived');
  const exited = once(child, 'exit');
  child.disconnect();
  expect(await exited).toEqual([0, null]);
});
