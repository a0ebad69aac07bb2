/** How a link handles any message of a watcher. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PROTOCOL } from '@fleet-estop/protocol';
import { expect, test } from 'vitest';
import { hold, homeOf, liftAll, linked, makeRoot, reasons } from '../support/fleets.ts';
import { alive, saidWatcher, stateOf } from '../support/scripted-watcher.ts';

test('it says hello with all that it serves, and is connected once it is answered', async () => {
  const root = makeRoot('a', 'b');
  const watcher = await saidWatcher(root);
  const { link, untilLink, statuses } = linked(root, ['a', 'b'], { instance: 'g1' });
  const caller = await watcher.caller();
  // `unit` as well, if the tests run in a systemd service.
  const { unit: _, ...hello } = (await caller.hello()) as { readonly unit?: string };
  expect(hello).toEqual({
    type: 'hello',
    protocol: PROTOCOL,
    instance: 'g1',
    secret: expect.any(String),
    pid: process.pid,
    mark: {
      pid: process.pid,
      start: expect.any(String),
      boot: expect.any(String),
      pid_ns: expect.any(String),
    },
    software: 'sample/1.0',
    profiles: ['a', 'b'].map((name) => ({ name, doors: ['turn'], in_flight: 0 })),
  });
  expect(link.status().link).toBe('connecting');
  caller.say(alive);
  expect(await untilLink('connected')).toEqual({ link: 'connected', epoch: 'e1' });
  expect(statuses).toHaveLength(1);
});

test('a state that the disk confirms is acknowledged, with the work in hand', async () => {
  const root = makeRoot('a');
  const id = hold(homeOf(root, 'a'), 'fan-out');
  const watcher = await saidWatcher(root);
  linked(root, ['a'], { profiles: () => [{ name: 'a', doors: [], in_flight: 3 }] });
  const caller = await watcher.caller();
  caller.say(stateOf('a', 7, { id }));
  expect(await caller.ack(7)).toEqual({
    type: 'ack',
    epoch: 'e1',
    revision: 7,
    profile: 'a',
    in_flight: 3,
  });
});

test('a pause that the disk does not show is not acknowledged until it does', async () => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  const { link, states, untilEngaged } = linked(root, ['a']);
  const caller = await watcher.caller();
  await caller.hello();
  caller.say(stateOf('a', 7, { id: 'unseen' }));
  await caller.until(() => (caller.heard.length > 3 ? true : undefined));
  expect(caller.acks()).toEqual([]);
  expect(link.state('a')?.engaged).toBe(false);
  expect(states).toHaveLength(1);

  const id = hold(homeOf(root, 'a'), 'now');
  caller.say(stateOf('a', 8, { id }));
  await caller.ack(8);
  await untilEngaged('a', true);
  expect(caller.acks().map(({ revision }) => revision)).toEqual([8]);
});

test('what is pushed before the disk shows it is acknowledged when the disk does, without a second word', async () => {
  const root = makeRoot('a');
  const id = hold(homeOf(root, 'a'), 'still here');
  const watcher = await saidWatcher(root);
  const { untilEngaged } = linked(root, ['a']);
  const caller = await watcher.caller();
  await caller.hello();
  caller.say(stateOf('a', 9));
  await caller.until(() => (caller.heard.length > 3 ? true : undefined));
  expect(caller.acks()).toEqual([]);
  expect(id).not.toBe('');
  liftAll(homeOf(root, 'a'));
  await untilEngaged('a', false);
  await caller.ack(9);
});

test('a watcher that says "free" resumes nothing that the disk holds', async () => {
  const root = makeRoot('a');
  hold(root, 'held');
  const watcher = await saidWatcher(root);
  const { link, states } = linked(root, ['a']);
  const caller = await watcher.caller();
  await caller.hello();
  caller.say(stateOf('a', 9));
  await caller.until(() => (caller.heard.length > 3 ? true : undefined));
  expect(link.state('a')?.engaged).toBe(true);
  expect(states.map(({ engaged }) => engaged)).toEqual([true]);
});

test('the word of a watcher makes it look at once, where no notice comes', async () => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  // The scopes are elsewhere, so no notification comes from this folder.
  const elsewhere = makeRoot('a');
  const { untilEngaged } = linked(root, ['a'], {
    chainOf: (profile) => ({
      profile,
      root,
      scopes: [{ kind: 'profile', dir: join(elsewhere, 'link-to-be'), profile }],
    }),
  });
  const caller = await watcher.caller();
  await caller.hello();
  const id = hold(homeOf(elsewhere, 'a'), 'behind a link');
  symlinkSync(homeOf(elsewhere, 'a'), join(elsewhere, 'link-to-be'));
  caller.say(stateOf('a', 4, { id }));
  await caller.ack(4);
  await untilEngaged('a', true);
});

test('of many states at once the newest is acknowledged', async () => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  linked(root, ['a']);
  const caller = await watcher.caller();
  await caller.hello();
  caller.say(...Array.from({ length: 50 }, (_, at) => stateOf('a', at + 1)));
  await caller.ack(50);
  expect(caller.acks().length).toBeLessThan(50);
});

test('a push for a profile that it does not serve is ignored', async () => {
  const root = makeRoot('a', 'b');
  const watcher = await saidWatcher(root);
  linked(root, ['a']);
  const caller = await watcher.caller();
  caller.say(stateOf('b', 5), stateOf('a', 6));
  await caller.ack(6);
  expect(caller.acks()).toHaveLength(1);
});

test('a watcher that is lost resumes nothing, is said to be lost, and is found again', async () => {
  const root = makeRoot('a');
  const id = hold(root, 'held');
  const watcher = await saidWatcher(root);
  const { link, states, untilLink, statuses } = linked(root, ['a']);
  const first = await watcher.caller();
  first.say(stateOf('a', 7, { id, scope: 'root' }));
  await first.ack(7);
  await watcher.stop();
  await untilLink('connecting');
  expect(link.state('a')?.engaged).toBe(true);
  const again = await saidWatcher(root);
  const second = await again.caller();
  await second.hello();
  second.say({ ...stateOf('a', 1, { id, scope: 'root' }), epoch: 'e2' });
  expect(await second.ack(1)).toMatchObject({ epoch: 'e2' });
  expect(link.status()).toEqual({ link: 'connected', epoch: 'e2' });
  expect(states.map(({ engaged }) => engaged)).toEqual([true]);
  expect(statuses.map((status) => status.link)).toContain('connecting');
});

test('what an earlier connection said is not acknowledged on the next', async () => {
  const root = makeRoot('a');
  hold(homeOf(root, 'a'), 'still here');
  const watcher = await saidWatcher(root);
  const { untilEngaged } = linked(root, ['a']);
  const first = await watcher.caller();
  await first.hello();
  first.say(stateOf('a', 7));
  await first.until(() => (first.heard.length > 3 ? true : undefined));
  first.socket.destroy();
  const second = await watcher.caller();
  await second.hello();
  liftAll(homeOf(root, 'a'));
  await untilEngaged('a', false);
  second.say(stateOf('a', 2));
  await second.ack(2);
  expect(second.acks().map(({ revision }) => revision)).toEqual([2]);
});

test('a refusal of the protocol is final, says what to do, and the disk is followed on', async () => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  const { link, untilLink, untilEngaged } = linked(root, ['a']);
  const caller = await watcher.caller();
  caller.say({ type: 'refused', code: 'protocol', message: 'no', hint: 'update the gateway' });
  expect(await untilLink('refused')).toEqual({
    link: 'refused',
    code: 'protocol',
    message: 'no',
    hint: 'update the gateway',
  });
  await caller.closed;
  hold(root, 'held');
  expect(reasons(await untilEngaged('a', true))).toEqual(['held']);
  expect(watcher.calls()).toBe(1);
  link.refresh();
  const again = await watcher.caller();
  again.say(alive);
  await untilLink('connected');
});

test.each([
  ['closing', 'the watcher stops'],
  ['too-many', 'no more are let in'],
  ['slow', 'nothing was heard'],
  ['malformed', 'not a message'],
] as const)('a refusal as `%s` is said, and it calls again', async (code, message) => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  const { until, statuses } = linked(root, ['a']);
  const first = await watcher.caller();
  first.say({ type: 'refused', code, message, hint: 'later' });
  first.socket.end();
  const status = await until(() => statuses.find((it) => it.link === 'connecting'));
  expect(status).toEqual({ link: 'connecting', why: message, hint: 'later' });
  await (await watcher.caller()).hello();
});

test.each([
  ['no JSON', 'garbage\n'],
  ['an unknown type', '{"type":"orders"}\n'],
  ['a line without end', 'x'.repeat(70_000)],
])('a watcher that says %s is left, and called again', async (_what, text) => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  const { states } = linked(root, ['a']);
  const first = await watcher.caller();
  first.send(text);
  await first.closed;
  await (await watcher.caller()).hello();
  expect(states).toHaveLength(1);
});

test('a watcher that falls silent is stale; the disk is followed on; when heard again it is connected', async () => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  const { untilLink, untilEngaged, link } = linked(root, ['a']);
  const caller = await watcher.caller();
  caller.say(alive);
  await untilLink('connected');
  await untilLink('stale');
  const id = hold(homeOf(root, 'a'), 'unannounced');
  await untilEngaged('a', true);
  expect(link.status().link).toBe('stale');
  caller.say(stateOf('a', 3, { id }));
  await untilLink('connected');
  await caller.ack(3);
  expect(watcher.calls()).toBe(1);
});

test('it sends heartbeats with the work in hand and the refusals, as they change', async () => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  let in_flight = 1;
  linked(root, ['a'], { profiles: () => [{ name: 'a', doors: [], in_flight, refused: 4 }] });
  const caller = await watcher.caller();
  const said = (n: number) =>
    caller.until(() =>
      caller.heard.find((it) => it.type === 'alive' && it.profiles[0]?.in_flight === n),
    );
  expect(await said(1)).toMatchObject({ profiles: [{ name: 'a', in_flight: 1, refused: 4 }] });
  in_flight = 2;
  await said(2);
});

test('a watcher that does not read is not written to without end', async () => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  linked(root, ['a'], { heartbeatMs: 600_000 });
  const caller = await watcher.caller();
  await caller.hello();
  caller.socket.pause();
  const turns = 3_000;
  for (let revision = 1; revision <= turns; revision += 1) {
    caller.say(stateOf('a', revision));
    // One by one, so that each causes a separate read and acknowledgement.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
  caller.socket.resume();
  await caller.ack(turns);
  const revisions = caller.acks().map(({ revision }) => revision);
  expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
  // Queued acknowledgements were replaced by later ones.
  expect(revisions.length).toBeLessThan(turns / 2);
});

test('hello is said again with other profiles, on the same connection', async () => {
  const root = makeRoot('a', 'b');
  const profiles = ['a'];
  const watcher = await saidWatcher(root);
  const { link } = linked(root, profiles);
  const caller = await watcher.caller();
  await caller.hello();
  profiles.push('b');
  link.refresh();
  const hello = await caller.until(() =>
    caller.heard.find((it) => it.type === 'hello' && it.profiles.length === 2),
  );
  expect(hello).toMatchObject({ profiles: [{ name: 'a' }, { name: 'b' }] });
  caller.say(stateOf('b', 3));
  await caller.ack(3);
  expect(watcher.calls()).toBe(1);
});

test('a hello that would be too long leaves the doors out', async () => {
  const profiles = Array.from({ length: 900 }, (_, at) => `lane-${at}`);
  const root = makeRoot();
  const watcher = await saidWatcher(root);
  linked(root, profiles, {
    profiles: () =>
      profiles.map((name) => ({
        name,
        doors: ['turn', 'cron', 'cron-misfire', 'kanban'],
        in_flight: 0,
      })),
  });
  const hello = await (await watcher.caller()).hello();
  expect(hello.profiles).toHaveLength(900);
  expect(hello.profiles.every(({ doors }) => doors.length === 0)).toBe(true);
});

test('one that is too long even so is given up aloud, and the disk is followed', async () => {
  const profiles = Array.from({ length: 2_000 }, (_, at) => `lane-${at}`);
  const root = makeRoot();
  const watcher = await saidWatcher(root);
  const { untilLink, untilEngaged } = linked(root, profiles);
  expect(await untilLink('refused')).toMatchObject({
    code: 'too-long',
    hint: expect.stringMatching(/fewer/),
  });
  hold(root, 'held');
  await untilEngaged('lane-1999', true);
  expect(watcher.calls()).toBe(1);
});

test('a root too deep for a socket is said, and the disk is followed', async () => {
  const root = join(makeRoot(), 'x'.repeat(120));
  mkdirSync(join(root, 'profiles/a'), { recursive: true });
  const { link, untilEngaged } = linked(root, ['a']);
  expect(link.status()).toMatchObject({ link: 'refused', code: 'socket-path' });
  hold(root, 'held');
  await untilEngaged('a', true);
});
