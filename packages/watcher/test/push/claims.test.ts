/**
 * Whose acknowledgement is believed: an instance belongs to the process that claimed it first.
 */
import type { Hello } from '@fleet-estop/protocol';
import { expect, test } from 'vitest';
import { greeted, helloOf, type Pushing, pushing, rawGateway } from '../support/push.ts';
import { fleet, hold } from '../support/states.ts';

const held = fleet({ a: [hold('h1')], b: [] });
const secret = 'the secret of this gateway, 32 characters at least';
const another = 'what somebody else made up, 32 characters at least';

/** Everything that was said of connections which were refused. */
const refusals = ({ log }: Pushing) =>
  log.filter(({ message }) => message === 'a connection was refused').map(({ fields }) => fields);

test.each<[string, Partial<Hello>]>([
  ['another secret', { secret: another }],
  ['another secret and another process', { secret: another, pid: 17 }],
  ['no secret', {}],
  ['no secret, of another process', { pid: 17 }],
])(
  'a claim to a living instance with %s is refused and logged, and the real one stays',
  async (_what, more) => {
    const push = await pushing(held);
    const real = await greeted(push, 'g', ['a'], { secret });
    await push.untilLink('g', 'connected');
    const other = await rawGateway(push.path);
    other.say(helloOf('g', ['a'], more));
    expect(await other.refused()).toMatchObject({
      code: 'taken',
      hint: expect.stringContaining('instance'),
    });
    await other.closed;
    expect(other.states('a')).toEqual([]);
    expect(refusals(push)).toMatchObject([
      {
        code: 'taken',
        instance: 'g',
        gateway_pid: more.pid ?? 4_242,
        message: expect.stringContaining('4242'),
      },
    ]);
    expect(push.gateway('g')?.link).toBe('connected');
    real.ack(await real.state('a'));
    await push.untilLink('g', 'acknowledged');
    expect(push.store.snapshot().gateways).toHaveLength(1);
    expect(push.events.filter(({ type }) => type === 'gateway.gone')).toEqual([]);
  },
);

test('a gateway that comes back with its secret replaces its older connection before that is noticed to be dead', async () => {
  const push = await pushing(held);
  const old = await greeted(push, 'g', ['a'], { secret });
  old.ack(await old.state('a'));
  await push.untilLink('g', 'acknowledged');
  const young = await greeted(push, 'g', ['a', 'b'], { secret });
  expect(await old.refused()).toMatchObject({ code: 'closing' });
  expect((await push.untilLink('g', 'connected')).profiles).toMatchObject([
    { name: 'a', acknowledged: null },
    { name: 'b', acknowledged: null },
  ]);
  for (const lane of ['a', 'b']) young.ack(await young.state(lane));
  await push.untilLink('g', 'acknowledged');
  expect(push.store.snapshot().gateways).toHaveLength(1);
  expect(refusals(push).map(({ code }) => code)).toEqual(['closing']);
});

test('where the first has no secret, nobody can prove to be it, and it keeps its instance', async () => {
  const push = await pushing(held);
  await greeted(push, 'g', ['a']);
  await push.untilLink('g', 'connected');
  for (const more of [{}, { secret }, { pid: 17 }]) {
    const other = await greeted(push, 'g', ['a'], more);
    expect((await other.refused()).code).toBe('taken');
  }
  expect(push.gateway('g')?.link).toBe('connected');
});

test('a gateway without a secret that is back after its connection ended is let in', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a']);
  await push.untilLink('g', 'connected');
  gateway.socket.destroy();
  await push.untilLink('g', 'gone');
  const back = await greeted(push, 'g', ['a']);
  back.ack(await back.state('a'));
  await push.untilLink('g', 'acknowledged');
  expect(push.store.snapshot().gateways).toHaveLength(1);
});

test('one that is gone stays listed as gone while somebody without its secret says its instance', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a'], { secret });
  await push.untilLink('g', 'connected');
  gateway.socket.destroy();
  await push.untilLink('g', 'gone');
  await greeted(push, 'g', ['a'], { secret: another });
  await push.untilLink('g', 'connected');
  const links = () => push.store.snapshot().gateways.map(({ link }) => link);
  expect(links().sort()).toEqual(['connected', 'gone']);
});

test('what a connection says of itself later must have the secret that it said first', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a'], { secret });
  await push.untilLink('g', 'connected');
  gateway.say(helloOf('g', ['a', 'b'], { secret: another }));
  expect(await gateway.refused()).toMatchObject({ code: 'malformed' });
});

test('no secret is shown to anybody: not in the log, not in an event, not in the list', async () => {
  const push = await pushing(held);
  const gateway = await greeted(push, 'g', ['a'], { secret });
  await push.untilLink('g', 'connected');
  const other = await greeted(push, 'g', ['a'], { secret: another });
  await other.closed;
  gateway.socket.destroy();
  await push.untilLink('g', 'gone');
  const told = JSON.stringify([push.log, push.events, push.store.snapshot().gateways, other.heard]);
  expect(told).not.toContain(secret);
  expect(told).not.toContain(another);
});
