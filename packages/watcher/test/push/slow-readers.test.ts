/**
 * A gateway that reads slowly or not at all: what it costs, and what it gets.
 */
import type { State } from '@fleet-estop/protocol';
import { expect, test } from 'vitest';
import { greeted, pushing } from '../support/push.ts';
import { fleet, hold } from '../support/states.ts';

/** Long enough that a few fill what the kernel holds for a reader. */
const REASON = 'x'.repeat(1_000);
const LONG = Array.from({ length: 12 }, (_, at) => hold(`h${at}`, { reason: REASON }));
const LANES = ['a', 'b', 'c'];

const storm = (at: number) =>
  fleet(Object.fromEntries(LANES.map((lane) => [lane, [hold(`s${at}`), ...LONG]])));

test('a reader that never reads costs a bounded memory while 2,000 states pass, then it is dropped', async () => {
  const push = await pushing(storm(0), { dropAfterMs: 30_000 });
  const deaf = await greeted(push, 'deaf', LANES);
  await push.untilLink('deaf', 'connected');
  deaf.socket.pause();
  const end = push.sockets[0]!;
  const frame = 64 * 1024;
  let most = 0;
  for (let at = 1; at <= 2_000; at++) {
    push.store.look(storm(at));
    most = Math.max(most, end.writableLength);
    // The kernel's buffer fills while the loop turns.
    if (at % 100 === 0) await new Promise(setImmediate);
  }
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(end.writableHighWaterMark + frame);
  expect(push.gateway('deaf')?.link).toBe('connected');

  // It talks all the while: one that is silent too is stale, and stays.
  for (let in_flight = 1; !end.destroyed; in_flight++) {
    push.pass(1_000);
    deaf.say({ type: 'alive', profiles: [{ name: 'a', in_flight, refused: 0 }] });
    await push.until(() => {
      const seen = push.gateway('deaf')?.profiles[0]?.in_flight === in_flight;
      return seen || end.destroyed ? true : undefined;
    });
  }
  await push.untilLink('deaf', 'gone');
  const gone = push.events.find(({ type }) => type === 'gateway.gone');
  expect(gone?.data).toMatchObject({ instance: 'deaf', pid: 4_242 });
  expect(String(gone?.data['why'])).toMatch(/not read/);
});

test('one that reads again learns the newest state of each profile, and little of the way there', async () => {
  const push = await pushing(storm(0));
  const slow = await greeted(push, 'slow', LANES);
  await slow.state('c');
  slow.socket.pause();
  for (let at = 1; at <= 500; at++) {
    push.store.look(storm(at));
    if (at % 50 === 0) await new Promise(setImmediate);
  }
  push.store.look(fleet({ a: [], b: [hold('last')], c: [] }));
  slow.socket.resume();
  for (const lane of ['a', 'c']) await slow.state(lane, ({ engaged }) => !engaged);
  await slow.state('b', ({ holds }) => holds[0]?.id === 'last');
  const states = LANES.flatMap((lane) => slow.states(lane));
  expect(states.length).toBeLessThan(200);
  for (const lane of LANES) {
    const revisions = slow.states(lane).map(({ revision }) => revision);
    expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
  }
});

test('a reader that does not read delays no other', async () => {
  const push = await pushing(storm(0));
  const deaf = await greeted(push, 'deaf', LANES);
  const good = await greeted(push, 'good', LANES);
  await Promise.all(LANES.map((lane) => good.state(lane)));
  deaf.socket.pause();
  for (let at = 1; at <= 200; at++) {
    push.store.look(storm(at));
    await new Promise(setImmediate);
  }
  for (const lane of LANES) {
    good.ack(await good.state(lane, ({ holds }) => holds[0]?.id === 's200'));
  }
  await push.untilLink('good', 'acknowledged');
  expect(push.gateway('deaf')?.link).toBe('connected');
  expect(push.gateway('deaf')?.profiles.map(({ acknowledged }) => acknowledged)).toEqual([
    null,
    null,
    null,
  ]);
});

test('what a slow reader was passed over for cannot be acknowledged by it', async () => {
  const push = await pushing(storm(0));
  const slow = await greeted(push, 'slow', ['a']);
  await slow.state('a');
  slow.socket.pause();
  const passedOver: number[] = [];
  for (let at = 1; at <= 300; at++) {
    push.store.look(storm(at));
    passedOver.push(push.store.snapshot().profileRevisions.get('a') ?? 0);
    if (at % 50 === 0) await new Promise(setImmediate);
  }
  slow.socket.resume();
  const newest: State = await slow.state('a', ({ holds }) => holds[0]?.id === 's300');
  const heard = new Set(slow.states('a').map(({ revision }) => revision));
  const missed = passedOver.filter((revision) => !heard.has(revision));
  expect(missed.length).toBeGreaterThan(100);
  for (const revision of missed) slow.ack(newest, { revision });
  slow.say({ type: 'alive', profiles: [{ name: 'a', in_flight: 7, refused: 0 }] });
  const view = await push.until(() => {
    const found = push.gateway('slow');
    return found?.profiles[0]?.in_flight === 7 ? found : undefined;
  });
  expect(view.profiles[0]?.acknowledged).toBe(null);
  expect(view.link).toBe('connected');
});

test('a watcher that stops waits for no reader', async () => {
  const push = await pushing(storm(0));
  const deaf = await greeted(push, 'deaf', LANES);
  await deaf.state('c');
  deaf.socket.pause();
  const end = push.sockets[0]!;
  for (let at = 1; end.writableLength === 0; at++) {
    push.store.look(storm(at));
    await new Promise(setImmediate);
  }
  await push.all.close();
  expect(end.destroyed).toBe(true);
});
