/**
 * Which gateways are live, stale and gone.
 */
import { expect, test } from 'vitest';
import { greeted, pushing } from '../support/push.ts';
import { fleet, hold } from '../support/states.ts';

const held = fleet({ a: [hold('h1')] });

test('a gateway that is silent is stale, by name, and acknowledged no more', async () => {
  const push = await pushing(held, { dropAfterMs: 600_000 });
  const silent = await greeted(push, 'silent', ['a']);
  silent.ack(await silent.state('a'));
  await push.untilLink('silent', 'acknowledged');
  push.pass(7_000);
  await push.untilLink('silent', 'stale');
  const event = await push.until(() => push.events.find(({ type }) => type === 'gateway.stale'));
  expect(event.data).toMatchObject({ instance: 'silent', pid: 4_242 });
});

test('one that sends heartbeats is not, and what they say is shown', async () => {
  const push = await pushing(held, { dropAfterMs: 600_000 });
  await greeted(push, 'silent', ['a']);
  const alive = await greeted(push, 'alive', ['a']);
  await push.untilLink('alive', 'connected');
  const heart = setInterval(() => {
    alive.say({ type: 'alive', profiles: [{ name: 'a', in_flight: 3, refused: 9 }] });
  }, 1);
  for (let passed = 0; passed < 12; passed++) {
    push.pass(1_000);
    const at = alive.heard.length;
    await alive.until(() => (alive.heard.length > at + 1 ? true : undefined));
  }
  clearInterval(heart);
  await push.untilLink('silent', 'stale');
  expect(push.gateway('alive')).toMatchObject({
    link: 'connected',
    profiles: [{ name: 'a', in_flight: 3, refused: 9 }],
  });
});

test('a stale gateway that is heard again is what it was, and that is recorded', async () => {
  const push = await pushing(held, { dropAfterMs: 600_000 });
  const gateway = await greeted(push, 'g', ['a']);
  gateway.ack(await gateway.state('a'));
  await push.untilLink('g', 'acknowledged');
  push.pass(7_000);
  await push.untilLink('g', 'stale');
  gateway.say({ type: 'alive', profiles: [] });
  await push.untilLink('g', 'acknowledged');
  const types = push.events.map(({ type }) => type);
  expect(types.slice(-2)).toEqual(['gateway.stale', 'gateway.connected']);
});

test('a state is pushed to a stale gateway too, for when it reads again', async () => {
  const push = await pushing(fleet({ a: [] }), { dropAfterMs: 600_000 });
  const gateway = await greeted(push, 'g', ['a']);
  await gateway.state('a');
  push.pass(7_000);
  await push.untilLink('g', 'stale');
  push.store.look(held);
  await gateway.state('a', ({ engaged }) => engaged);
  expect(push.gateway('g')?.link).toBe('stale');
});

test('one that stays silent is stale as long as its connection stands, and gone when that ends', async () => {
  const push = await pushing(held, { dropAfterMs: 30_000 });
  const gateway = await greeted(push, 'g', ['a']);
  await push.untilLink('g', 'connected');
  push.pass(7_000);
  await push.untilLink('g', 'stale');
  push.pass(600_000);
  const beats = () => gateway.heard.filter(({ type }) => type === 'alive').length;
  const before = beats();
  await gateway.until(() => (beats() > before + 2 ? true : undefined));
  expect(push.gateway('g')?.link).toBe('stale');
  expect(push.events.map(({ type }) => type)).toEqual(['gateway.connected', 'gateway.stale']);
  gateway.socket.destroy();
  const view = await push.untilLink('g', 'gone');
  expect(view.profiles.map(({ name }) => name)).toEqual(['a']);
});

test('after we were stopped ourselves, nobody is blamed before they could be heard', async () => {
  const push = await pushing(held, { dropAfterMs: 30_000, heartbeatMs: 500 });
  const gateway = await greeted(push, 'g', ['a']);
  await push.untilLink('g', 'connected');
  await gateway.state('a');
  push.pass(600_000);
  const beats = () => gateway.heard.filter(({ type }) => type === 'alive').length;
  const before = beats();
  gateway.socket.on('data', () => gateway.say({ type: 'alive', profiles: [] }));
  await gateway.until(() => (beats() > before + 2 ? true : undefined));
  expect(push.events.map(({ type }) => type)).toEqual(['gateway.connected']);
});

test('the watcher is heard at least with every heartbeat, and says how far it is', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a']);
  const { epoch } = push.store.snapshot();
  await gateway.until(() =>
    gateway.heard.filter(({ type }) => type === 'alive').length > 3 ? true : undefined,
  );
  expect(gateway.heard.find(({ type }) => type === 'alive')).toMatchObject({ epoch });
});

test('a gateway that closes its connection is gone at once, with what it served', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a']);
  await push.untilLink('g', 'connected');
  gateway.socket.end();
  const view = await push.untilLink('g', 'gone');
  expect(view).toMatchObject({ pid: 4_242, profiles: [{ name: 'a' }] });
  const event = await push.until(() => push.events.find(({ type }) => type === 'gateway.gone'));
  expect(event.subject).toBe('gateway/g');
  expect(push.sockets[0]?.destroyed).toBe(true);
});

test('of those that are gone the last ones are remembered, and all that went a moment ago', async () => {
  const push = await pushing(held, { maxGone: 2 });
  for (const name of ['one', 'two', 'three']) {
    const gateway = await greeted(push, name, ['a']);
    await push.untilLink(name, 'connected');
    gateway.socket.destroy();
    await push.untilLink(name, 'gone');
  }
  const known = () => push.store.snapshot().gateways.map(({ instance }) => instance);
  expect(known()).toEqual(['one', 'two', 'three']);
  push.pass(11_000);
  await push.until(() => (known().length === 2 ? true : undefined));
  expect(known()).toEqual(['two', 'three']);
});

test('however many went a moment ago, no more are remembered than can be about to come back', async () => {
  const push = await pushing(held, { maxGone: 1, maxLinks: 2 });
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    const gateway = await greeted(push, name, ['a']);
    await push.untilLink(name, 'connected');
    gateway.socket.destroy();
    await push.untilLink(name, 'gone');
  }
  const known = push.store.snapshot().gateways.map(({ instance }) => instance);
  expect(known).toEqual(['three', 'four', 'five']);
});

test('when a connection ended is said apart from when something was last heard', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a']);
  const here = await push.untilLink('g', 'connected');
  expect(here.gone_at).toBe(null);
  const heardMs = Date.parse(here.last_seen_at);
  await expect.poll(() => Date.now()).toBeGreaterThan(heardMs + 5);
  gateway.socket.destroy();
  const { last_seen_at, gone_at } = await push.untilLink('g', 'gone');
  expect(last_seen_at).toBe(here.last_seen_at);
  expect(Date.parse(gone_at ?? '')).toBeGreaterThan(heardMs + 4);
});

test('a gateway that serves nothing has acknowledged nothing', async () => {
  const push = await pushing(held);
  await greeted(push, 'g', []);
  const view = await push.untilLink('g', 'connected');
  expect(view.profiles).toEqual([]);
});

test('a watcher that stops says so to all, and blames nobody', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a']);
  await push.untilLink('g', 'connected');
  await push.all.close();
  expect(await gateway.refused()).toMatchObject({ code: 'closing' });
  await gateway.closed;
  expect(push.events.map(({ type }) => type)).not.toContain('gateway.gone');
  expect(push.log.map(({ message }) => message)).toEqual(['gateway connected']);
});

test('a hundred changes at once are few publications', async () => {
  const push = await pushing(held);
  let publications = 0;
  const all = await Promise.all(
    Array.from({ length: 100 }, (_, at) => greeted(push, `g${at}`, ['a'])),
  );
  const states = await Promise.all(all.map((gateway) => gateway.state('a')));
  let before = push.store.snapshot().gateways;
  push.store.subscribe(({ gateways }) => {
    if (gateways !== before) publications += 1;
    before = gateways;
  });
  for (const [at, gateway] of all.entries()) gateway.ack(states[at]!);
  await Promise.all(all.map((_, at) => push.untilLink(`g${at}`, 'acknowledged')));
  expect(publications).toBeLessThan(50);
});

test('one that left a moment ago may return, by a clock that nobody sets, and later not', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a']);
  expect((await push.untilLink('g', 'connected')).returning).toBeUndefined();
  gateway.socket.destroy();
  expect((await push.untilLink('g', 'gone')).returning).toBe(true);
  push.pass(5_000);
  await push.until(() => (push.gateway('g')?.returning ? true : undefined));
  push.pass(1_001);
  await push.until(() => (push.gateway('g')?.returning ? undefined : true));
  expect(push.gateway('g')).toMatchObject({ link: 'gone', profiles: [{ name: 'a' }] });
});
