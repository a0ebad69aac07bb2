/**
 * What a connection must send to be a gateway, and the reason that it gets otherwise.
 */
import { encode, MAX_LINE_BYTES, PROTOCOL } from '@fleet-estop/protocol';
import { expect, test } from 'vitest';
import { greeted, helloOf, pushing, rawGateway } from '../support/push.ts';
import { fleet, hold } from '../support/states.ts';

const held = fleet({ a: [hold('h1')], b: [] });

test.each([
  ['older', PROTOCOL - 1, /update the gateway/],
  ['newer', PROTOCOL + 1, /update the watcher/],
])('an %s protocol is refused with what to update', async (_what, protocol, hint) => {
  const push = await pushing(held);
  const gateway = await rawGateway(push.path);
  gateway.say(helloOf('g', ['a'], { protocol }));
  expect(await gateway.refused()).toMatchObject({
    code: 'protocol',
    message: expect.stringContaining(`${protocol}`),
    hint: expect.stringMatching(hint),
  });
  await gateway.closed;
  expect(gateway.states('a')).toEqual([]);
  expect(push.gateway('g')).toBe(undefined);
  expect(push.log.some(({ fields }) => fields['code'] === 'protocol')).toBe(true);
});

test('a hello of a newer protocol is refused as that, whatever else it says by then', async () => {
  const push = await pushing(held);
  const gateway = await rawGateway(push.path);
  gateway.send(`{"type":"hello","protocol":${PROTOCOL + 1},"identity":{"key":"x"}}\n`);
  expect(await gateway.refused()).toMatchObject({ code: 'protocol' });
});

test.each([
  ['no JSON', 'garbage\n', 'malformed'],
  ['something before the hello', '{"type":"alive","profiles":[]}\n', 'malformed'],
  ['an unknown type', '{"type":"greetings"}\n', 'malformed'],
  ['an unnamed instance', encode(helloOf('', ['a'])), 'malformed'],
  ['a line without end', 'x'.repeat(MAX_LINE_BYTES + 1), 'too-long'],
  ['no UTF-8', Uint8Array.of(0xff, 0xfe, 10), 'too-long'],
])('%s is refused, and the connection ends', async (_what, text, code) => {
  const push = await pushing(held);
  const gateway = await rawGateway(push.path);
  gateway.send(text);
  const refused = await gateway.refused();
  expect(refused.code).toBe(code);
  expect(refused.hint).not.toBe('');
  await gateway.closed;
  expect(push.store.snapshot().gateways).toEqual([]);
  expect(push.log.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

test('what follows a refused line on the same connection is not taken in', async () => {
  const push = await pushing(held);
  const gateway = await rawGateway(push.path);
  gateway.send(`garbage\n${encode(helloOf('g', ['a']))}`);
  await gateway.closed;
  expect(push.events).toEqual([]);
  expect(push.gateway('g')).toBe(undefined);
});

test('a gateway that says something malformed later is refused, and gone', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a']);
  await push.untilLink('g', 'connected');
  gateway.send('{"type":"ack"}\n');
  expect(await gateway.refused()).toMatchObject({ code: 'malformed' });
  await push.untilLink('g', 'gone');
});

test('a connection that says nothing is nobody, and is dropped in time', async () => {
  const push = await pushing(held, { dropAfterMs: 30_000 });
  const silent = await rawGateway(push.path);
  await push.until(() => (push.sockets.length > 0 ? true : undefined));
  push.pass(31_000);
  expect((await silent.refused()).code).toBe('slow');
  await silent.closed;
  expect(push.events).toEqual([]);
});

test('connections beyond the limit are refused with the reason, and free ones are used again', async () => {
  const push = await pushing(held, { maxLinks: 2 });
  const first = await greeted(push, 'first', ['a']);
  await greeted(push, 'second', ['a']);
  await push.untilLink('second', 'connected');
  const third = await rawGateway(push.path);
  expect(await third.refused()).toMatchObject({ code: 'too-many' });
  await third.closed;
  first.socket.destroy();
  await push.untilLink('first', 'gone');
  await greeted(push, 'fourth', ['a']);
  await push.untilLink('fourth', 'connected');
});

test('a gateway that is gone is no longer listed as such when the same process is back', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a']);
  await push.untilLink('g', 'connected');
  gateway.socket.destroy();
  await push.untilLink('g', 'gone');
  await greeted(push, 'g', ['a']);
  await push.untilLink('g', 'connected');
  expect(push.store.snapshot().gateways).toHaveLength(1);
});

test('hello again with other profiles: only new ones are sent, and kept ones stay acknowledged', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a']);
  const a = await gateway.state('a');
  gateway.ack(a);
  await push.untilLink('g', 'acknowledged');
  gateway.say(helloOf('g', ['a', 'b']));
  gateway.ack(await gateway.state('b'));
  const view = await push.until(() => {
    const found = push.gateway('g');
    return found?.link === 'acknowledged' && found.profiles.length === 2 ? found : undefined;
  });
  expect(view.profiles.map(({ name, acknowledged }) => [name, acknowledged])).toEqual([
    ['a', a.revision],
    ['b', push.store.snapshot().profileRevisions.get('b')],
  ]);
  expect(gateway.states('a')).toHaveLength(1);
  expect(push.events.filter(({ type }) => type === 'gateway.connected')).toHaveLength(1);
});

test('a profile that is no longer served is no longer sent, and is sent again when it is served again', async () => {
  const push = await pushing(fleet({ a: [], b: [] }));
  const gateway = await greeted(push, 'g', ['a', 'b']);
  gateway.ack(await gateway.state('a'));
  gateway.say(helloOf('g', ['b']));
  await push.until(() => (push.gateway('g')?.profiles.length === 1 ? true : undefined));
  push.store.look(fleet({ a: [hold('h1')], b: [hold('h2')] }));
  await gateway.state('b', ({ engaged }) => engaged);
  expect(gateway.states('a')).toHaveLength(1);
  gateway.say(helloOf('g', ['a', 'b']));
  await gateway.state('a', ({ engaged }) => engaged);
  expect(push.gateway('g')?.link).toBe('connected');
});

test('a connection cannot become another gateway', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a']);
  gateway.say(helloOf('h', ['a']));
  expect(await gateway.refused()).toMatchObject({ code: 'malformed' });
  await push.untilLink('g', 'gone');
});

test('a gateway of a profile that is not there has the fleet looked at, and is sent the result of that look', async () => {
  const push = await pushing(fleet({ a: [] }));
  const gateway = await greeted(push, 'g', ['a', 'new', 'default']);
  await gateway.state('a');
  await push.until(() => (push.looks() > 0 ? true : undefined));
  expect(push.gateway('g')?.profiles.map(({ name }) => name)).toContain('default');
  expect(gateway.states('new')).toEqual([]);
  push.store.look(fleet({ a: [], new: [hold('h1')] }));
  expect(await gateway.state('new')).toMatchObject({ engaged: true, holds: [{ id: 'h1' }] });
  expect(await gateway.state('default')).toMatchObject({ engaged: false });
});

test('a gateway of profiles that are there does not', async () => {
  const push = await pushing(held);
  await greeted(push, 'g', ['a', 'b']);
  await push.untilLink('g', 'connected');
  expect(push.looks()).toBe(0);
});

test('when nobody serves the profile of the root any more, the fleet is looked at again', async () => {
  const push = await pushing(fleet({ a: [], default: [] }));
  const gateway = await greeted(push, 'g', ['default']);
  await gateway.state('default');
  gateway.socket.destroy();
  await push.untilLink('g', 'gone');
  expect(push.looks()).toBe(1);
});

test('a root hold reaches a gateway whose profile is not in the fleet, and counts once it says so', async () => {
  const push = await pushing(fleet({ a: [] }));
  const gateway = await greeted(push, 'g', ['elsewhere']);
  await push.until(() => (push.looks() > 0 ? true : undefined));
  push.store.look(fleet({ a: [] }));
  gateway.ack(await gateway.state('elsewhere'));
  await push.untilLink('g', 'acknowledged');
  push.store.look(fleet({ a: [] }, [hold('h2', { scope: 'root' })]));
  await push.untilLink('g', 'connected');
  gateway.ack(await gateway.state('elsewhere', ({ engaged }) => engaged));
  await push.untilLink('g', 'acknowledged');
});
