/** Cutting work through the push, and how a gateway that closed on purpose is shown. */
import type { Cut } from '@fleet-estop/protocol';
import { expect, test } from 'vitest';
import { greeted, pushing, type RawGateway } from '../support/push.ts';
import { fleet } from '../support/states.ts';

const FEATURES = { features: ['cut', 'goodbye'] } as const;
const request = { id: 'op-1', reason: 'update', deadline_ms: 600_000 };
const cutsOf = ({ heard }: RawGateway) => heard.filter((it): it is Cut => it.type === 'cut');
const asked = (gateway: RawGateway): Promise<Cut> => gateway.until(() => cutsOf(gateway).at(0));
const done = { type: 'cut-done', id: 'op-1', profile: 'a', told: 1, failed: 0, left: 0 } as const;

test('every gateway of the profile is asked once, and an older one is not asked at all', async () => {
  const push = await pushing(fleet({ a: [], b: [] }));
  const one = await greeted(push, 'one', ['a'], FEATURES);
  const old = await greeted(push, 'old', ['a']);
  const other = await greeted(push, 'other', ['b'], FEATURES);
  for (const name of ['one', 'old', 'other']) await push.untilLink(name, 'connected');
  const cut = push.all.cut('a', request);
  expect(await asked(one)).toEqual({ type: 'cut', profile: 'a', ...request });
  // Answers that nobody asked for count for nothing.
  other.say(done);
  one.say({ ...done, id: 'another' });
  one.say(done);
  expect(await cut).toEqual([
    { instance: 'one', pid: 4_242, outcome: 'done', told: 1, failed: 0, left: 0 },
    { instance: 'old', pid: 4_242, outcome: 'unsupported', told: null, failed: null, left: null },
  ]);
  expect([cutsOf(one), cutsOf(old), cutsOf(other)].map((it) => it.length)).toEqual([1, 0, 0]);
});

test('a gateway that does not answer is silent after the deadline, and whom it told is unknown', async () => {
  const push = await pushing(fleet({ a: [] }));
  await greeted(push, 'one', ['a'], FEATURES);
  await push.untilLink('one', 'connected');
  expect(await push.all.cut('a', { ...request, deadline_ms: 1 })).toEqual([
    { instance: 'one', pid: 4_242, outcome: 'silent', told: null, failed: null, left: null },
  ]);
});

test('a gateway that connects again meanwhile is asked again, by the same id', async () => {
  const push = await pushing(fleet({ a: [] }));
  const one = await greeted(push, 'one', ['a'], FEATURES);
  await push.untilLink('one', 'connected');
  const cut = push.all.cut('a', request);
  await asked(one);
  one.socket.destroy();
  await push.untilLink('one', 'gone');
  const again = await greeted(push, 'one', ['a'], FEATURES);
  expect((await asked(again)).id).toBe('op-1');
  again.say(done);
  expect(await cut).toMatchObject([{ instance: 'one', outcome: 'done', told: 1 }]);
});

test('a gateway shows its process, its unit and what it understands', async () => {
  const push = await pushing(fleet({ a: [] }));
  const mark = { pid: 42, start: '7', boot: 'b', pid_ns: 'n' };
  await greeted(push, 'one', ['a'], { mark, unit: 'gw.service', ...FEATURES });
  expect(await push.untilLink('one', 'connected')).toMatchObject({
    mark,
    unit: 'gw.service',
    ...FEATURES,
  });
});

test('a gateway that closed on purpose is told from one that died, with what it left undone', async () => {
  const push = await pushing(fleet({ a: [] }));
  const polite = await greeted(push, 'polite', ['a'], FEATURES);
  const killed = await greeted(push, 'killed', ['a'], FEATURES);
  await push.untilLink('polite', 'connected');
  await push.untilLink('killed', 'connected');
  polite.say({
    type: 'goodbye',
    clean: false,
    cut: ['s1', 's2'].map((id) => ({ profile: 'a', door: 'turn', id })),
  });
  polite.socket.end();
  killed.socket.destroy();
  const left = await push.untilLink('polite', 'gone');
  expect(left).toMatchObject({
    closed: 'on-purpose',
    cut: [{ profile: 'a', door: 'turn', pieces: 2 }],
  });
  expect(JSON.stringify(left)).not.toContain('s1');
  expect(await push.untilLink('killed', 'gone')).not.toHaveProperty('closed');
});
