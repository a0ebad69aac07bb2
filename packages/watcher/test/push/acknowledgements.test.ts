/**
 * Which acknowledgements count, and when.
 */
import { expect, test } from 'vitest';
import { greeted, type Pushing, pushing, type RawGateway } from '../support/push.ts';
import { fleet, hold } from '../support/states.ts';

const free = fleet({ a: [], b: [] });
const held = fleet({ a: [hold('h1')], b: [] });

/** Until what was said before this has been taken in. */
async function heardOut(push: Pushing, gateway: RawGateway, instance: string, mark: number) {
  gateway.say({ type: 'alive', profiles: [{ name: 'a', in_flight: mark, refused: 0 }] });
  return await push.until(() => {
    const view = push.gateway(instance);
    return view?.profiles.find(({ name }) => name === 'a')?.in_flight === mark ? view : undefined;
  });
}

test('a gateway that has said hello is connected, and is sent the state', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a']);
  const state = await gateway.state('a');
  expect(state).toMatchObject({ engaged: true, holds: [{ id: 'h1', scope: 'profile' }] });
  const view = await push.untilLink('g', 'connected');
  expect(view).toMatchObject({ pid: 4_242, software: 'sample/1.0' });
  const unheard = { in_flight: 0, refused: 0, acknowledged: null, acknowledged_at: null };
  expect(view.profiles).toEqual([{ name: 'a', doors: ['turn'], ...unheard }]);
});

test('it has acknowledged when it has said so of every profile that it serves', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a', 'b']);
  const a = await gateway.state('a');
  gateway.ack(a);
  const half = await heardOut(push, gateway, 'g', 1);
  expect(half.link).toBe('connected');
  const [first, second] = half.profiles;
  expect(Date.parse(first?.acknowledged_at ?? '')).toBeGreaterThan(Date.now() - 60_000);
  expect(first?.acknowledged).toBeGreaterThanOrEqual(a.revision);
  expect(second).toMatchObject({ acknowledged: null, acknowledged_at: null });
  gateway.ack(await gateway.state('b'));
  await push.untilLink('g', 'acknowledged');
});

test('a new state takes that back before anybody else has a turn', async () => {
  const push = await pushing(free);
  const gateway = await greeted(push, 'g', ['a']);
  gateway.ack(await gateway.state('a'));
  await push.untilLink('g', 'acknowledged');
  push.store.look(held);
  await Promise.resolve();
  expect(push.gateway('g')?.link).toBe('connected');
  gateway.ack(await gateway.state('a', ({ engaged }) => engaged));
  await push.untilLink('g', 'acknowledged');
});

test('a change of another profile takes nothing back', async () => {
  const push = await pushing(free);
  const gateway = await greeted(push, 'g', ['b']);
  gateway.ack(await gateway.state('b'));
  await push.untilLink('g', 'acknowledged');
  push.store.look(held);
  await Promise.resolve();
  expect(push.gateway('g')?.link).toBe('acknowledged');
  expect(gateway.states('b')).toHaveLength(1);
});

test.each([
  ['of a revision that was never sent', { revision: 9_999 }],
  ['of an older revision that was never sent', { revision: 0 }],
  ['of another run of the watcher', { epoch: 'another' }],
  ['of a profile that it does not serve', { profile: 'b' }],
])('an acknowledgement %s is ignored, and said once in the log', async (_what, changed) => {
  const push = await pushing(held);
  push.store.record('config.rejected', 'config', {});
  const gateway = await greeted(push, 'g', ['a']);
  const state = await gateway.state('a');
  gateway.ack(state, changed);
  gateway.ack(state, changed);
  const view = await heardOut(push, gateway, 'g', 5);
  expect(view.link).toBe('connected');
  expect(view.profiles.map(({ acknowledged }) => acknowledged)).toEqual([null]);
  expect(push.events.map(({ type }) => type)).not.toContain('gateway.acknowledged');
  expect(push.log.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

test('what another gateway was sent is not for this one to acknowledge', async () => {
  const push = await pushing(free);
  const first = await greeted(push, 'first', ['a']);
  const told = await first.state('a');
  const other = await greeted(push, 'other', ['b']);
  await other.state('b');
  other.ack(told);
  other.say({ type: 'alive', profiles: [{ name: 'b', in_flight: 3, refused: 2 }] });
  const view = await push.until(() => {
    const found = push.gateway('other');
    return found?.profiles[0]?.in_flight === 3 ? found : undefined;
  });
  expect(view.profiles).toMatchObject([{ name: 'b', acknowledged: null, refused: 2 }]);
  expect(push.gateway('first')?.link).toBe('connected');
});

test('an acknowledgement is recorded once, with how long it took', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a']);
  const state = await gateway.state('a');
  gateway.ack(state, { in_flight: 4 });
  gateway.ack(state, { in_flight: 4 });
  await push.untilLink('g', 'acknowledged');
  await heardOut(push, gateway, 'g', 6);
  const acks = push.events.filter(({ type }) => type === 'gateway.acknowledged');
  expect(acks).toHaveLength(1);
  expect(acks[0]).toMatchObject({
    subject: 'gateway/g',
    data: { instance: 'g', profile: 'a', revision: state.revision, in_flight: 4 },
  });
  expect(acks[0]?.data['latency_ms']).toBeGreaterThanOrEqual(0);
  expect(push.log.filter(({ level }) => level === 'warn')).toEqual([]);
});

test('whoever hears of an acknowledgement finds it in the state', async () => {
  const push = await pushing(held);
  const found: unknown[] = [];
  push.store.subscribe(({ gateways }, events) => {
    for (const { type, data } of events) {
      if (type !== 'gateway.acknowledged') continue;
      found.push([data['revision'], gateways[0]?.profiles[0]?.acknowledged]);
    }
  });
  const gateway = await greeted(push, 'g', ['a']);
  const { revision } = await gateway.state('a');
  gateway.ack(await gateway.state('a'));
  await push.untilLink('g', 'acknowledged');
  await push.until(() => (found.length > 0 ? true : undefined));
  expect(found).toEqual([[revision, revision]]);
});

test('200 gateways are sent one pause, and every acknowledgement counts', async () => {
  const push = await pushing(free);
  const names = Array.from({ length: 200 }, (_, at) => `g${at}`);
  const all = await Promise.all(names.map((name) => greeted(push, name, ['a'])));
  await Promise.all(all.map((gateway) => gateway.state('a')));
  push.store.look(held);
  const revision = push.store.snapshot().profileRevisions.get('a') ?? 0;
  await Promise.all(
    all.map(async (gateway) => gateway.ack(await gateway.state('a', ({ engaged }) => engaged))),
  );
  await Promise.all(names.map((name) => push.untilLink(name, 'acknowledged')));
  for (const view of push.store.snapshot().gateways) {
    expect(view.profiles).toHaveLength(1);
    expect(view.profiles[0]?.acknowledged).toBeGreaterThanOrEqual(revision);
  }
  expect(push.store.snapshot().gateways).toHaveLength(200);
});
