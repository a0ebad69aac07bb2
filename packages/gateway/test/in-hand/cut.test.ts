/** Cutting work before a restart: people are told once, signals are aborted, and a drain is reported. */
import { setTimeout as delay } from 'node:timers/promises';
import { readRegister } from '@fleet-estop/ledger';
import type { Cut, CutDone, Goodbye } from '@fleet-estop/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { type Drain, openGate, type WorkInHand, type WorkNotice } from '../../src/index.ts';
import { opened } from '../gate/opened.ts';
import { hold, homeOf, liftAll, makeRoot } from '../support/fleets.ts';
import { alive, type Caller, saidWatcher } from '../support/scripted-watcher.ts';

/** Polls until the condition is true. The test's timeout ends a wait that never succeeds. */
async function until(fits: () => boolean): Promise<void> {
  while (!fits()) await delay(10);
}

const cut = (id: string, profile: string, more: Partial<Cut> = {}): Cut => ({
  type: 'cut',
  id,
  profile,
  reason: 'update',
  deadline_ms: 60_000,
  ...more,
});

async function connected(...profiles: readonly string[]) {
  const root = makeRoot(...profiles);
  const watcher = await saidWatcher(root);
  const gate = opened(
    profiles.map((profile) => homeOf(root, profile)),
    { instance: 'gw-1' },
  );
  const caller = await watcher.caller();
  caller.say(alive);
  await caller.hello();
  const begin = (profile: string, id: string, conversation?: string): WorkInHand => {
    const work = { door: 'turn', id, profile, conversation: conversation ?? null };
    const inHand = gate.begin(work);
    if (inHand === null) throw new Error(`${id} is in hand already`);
    return inHand;
  };
  return { root, gate, caller, begin };
}

const answers = ({ heard }: Caller): CutDone[] =>
  heard.filter((it): it is CutDone => it.type === 'cut-done');
const answered = (caller: Caller, id: string, times = 1): Promise<CutDone> =>
  caller.until(() => {
    const found = answers(caller).filter((it) => it.id === id);
    return found.length >= times ? found.at(-1) : undefined;
  });

test('the hello says which process it is, and what it understands', async () => {
  const { caller } = await connected('a');
  const hello = await caller.hello();
  expect(hello).toMatchObject({
    mark: { pid: process.pid, start: expect.stringMatching(/^\d+$/) },
    features: ['cut', 'goodbye'],
  });
});

test('each conversation is told once, its work is aborted after that, and other profiles go on', async () => {
  const { gate, caller, begin } = await connected('a', 'b');
  const works = [
    begin('a', 's1', 'chat-1'),
    begin('a', 's2', 'chat-1'),
    begin('a', 's3', 'chat-2'),
  ];
  const other = begin('b', 's1', 'chat-3');
  const notices: WorkNotice[] = [];
  const abortedBefore: boolean[] = [];
  gate.onNotice(async (notice) => {
    notices.push(notice);
    abortedBefore.push(works.some(({ signal }) => signal.aborted));
  });
  for (const work of works) work.signal.addEventListener('abort', () => void work.end());
  caller.say(cut('op-1', 'a'));
  expect(await answered(caller, 'op-1')).toMatchObject({ told: 2, failed: 0, left: 0 });
  expect(notices).toMatchObject([
    {
      profile: 'a',
      conversation: 'chat-1',
      work: [{ id: 's1' }, { id: 's2' }],
      reason: 'update',
      restart: true,
    },
    { conversation: 'chat-2', work: [{ id: 's3' }] },
  ]);
  expect(abortedBefore).toEqual([false, false]);
  expect(works[0]?.signal.reason).toMatchObject({ code: 'WORK_CUT', profile: 'a', id: 's1' });
  expect(other.signal.aborted).toBe(false);
});

test('the same operation again is answered the same and tells nobody; another one tells again', async () => {
  const { gate, caller, begin } = await connected('a', 'b');
  begin('a', 's1', 'chat-1');
  begin('b', 's1', 'chat-1');
  const told: string[] = [];
  gate.onNotice(({ profile, conversation }) => void told.push(`${profile} ${conversation}`));
  caller.say(cut('op-1', 'a'), cut('op-1', 'a'));
  const [first, second] = [await answered(caller, 'op-1'), await answered(caller, 'op-1', 2)];
  expect(second).toEqual(first);
  expect(told).toEqual(['a chat-1']);
  // The same people, in another profile of the same restart.
  caller.say(cut('op-1', 'b'));
  expect(await answered(caller, 'op-1', 3)).toMatchObject({ profile: 'b', told: 1 });
  expect(told).toEqual(['a chat-1']);
  caller.say(cut('op-2', 'a'));
  await answered(caller, 'op-2');
  expect(told).toEqual(['a chat-1', 'a chat-1']);
});

test('a notice that fails or hangs delays no other, and the answer counts it as failed', async () => {
  const { gate, caller, begin } = await connected('a');
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => void warnings.push(message);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const works = ['fails', 'hangs', 'works'].map((name) => begin('a', name, name));
  const silent = begin('a', 'nobody');
  const aborted: string[] = [];
  for (const [at, name] of ['fails', 'hangs', 'works'].entries()) {
    works[at]?.signal.addEventListener('abort', () => aborted.push(name));
  }
  gate.onNotice(({ conversation }) => {
    if (conversation === 'fails') throw new Error('the channel is closed');
    if (conversation === 'hangs') return new Promise(() => {});
    return undefined;
  });
  caller.say(cut('op-1', 'a', { deadline_ms: 300 }));
  expect(await answered(caller, 'op-1')).toMatchObject({ told: 1, failed: 2, left: 4 });
  expect(aborted.at(-1)).toBe('hangs');
  expect(aborted).toHaveLength(3);
  expect(silent.signal.aborted).toBe(true);
  expect(warnings.join()).toContain('the channel is closed');
});

test('where nobody listens, nobody was told', async () => {
  const { caller, begin } = await connected('a');
  begin('a', 's1', 'chat-1');
  caller.say(cut('op-1', 'a'));
  expect(await answered(caller, 'op-1')).toMatchObject({ told: 0, failed: 1, left: 1 });
});

test('a profile that the gate does not serve has nothing to cut', async () => {
  const { caller } = await connected('a');
  caller.say(cut('op-1', 'elsewhere'));
  expect(await answered(caller, 'op-1')).toMatchObject({ told: 0, failed: 0, left: 0 });
});

test('a gate that is closed says goodbye with the work that it leaves undone', async () => {
  const { gate, caller, begin } = await connected('a', 'b');
  begin('a', 's1');
  gate.close();
  await caller.closed;
  expect(caller.heard.findLast((it): it is Goodbye => it.type === 'goodbye')).toEqual({
    type: 'goodbye',
    clean: false,
    cut: [{ profile: 'a', door: 'turn', id: 's1' }],
  });
  expect(caller.heard.at(-1)?.type).toBe('goodbye');
});

test('a profile that is held with work in hand drains, and says so when nothing is left', async () => {
  const { root, gate, begin } = await connected('a', 'b');
  const drains: Drain[] = [];
  gate.onDrain((drain) => void drains.push(drain));
  const [one, two] = [begin('a', 's1'), begin('a', 's2')];
  hold(homeOf(root, 'a'), 'update');
  await until(() => drains.length === 1);
  expect(drains[0]).toMatchObject({ profile: 'a', drained: false, left: 2 });
  hold(root, 'and the fleet');
  one.end();
  two.end();
  expect(drains.slice(1)).toMatchObject([{ profile: 'a', drained: true, left: 0, work: [] }]);
});

test('a lift ends a drain without a word', async () => {
  const { root, gate, begin } = await connected('a');
  const drains: Drain[] = [];
  gate.onDrain((drain) => void drains.push(drain));
  const work = begin('a', 's1');
  hold(homeOf(root, 'a'), 'update');
  await until(() => drains.length === 1);
  const freed = new Promise<void>((resolve) => {
    gate.onChange(({ engaged }) => {
      if (!engaged) setImmediate(resolve);
    });
  });
  liftAll(homeOf(root, 'a'));
  await freed;
  work.end();
  expect(drains).toHaveLength(1);
});

test('idle is when nothing is in hand, in one profile or in all', async () => {
  const { gate, begin } = await connected('a', 'b');
  expect(await gate.onIdle({ timeoutMs: 60_000 })).toEqual({ idle: true });
  const work = begin('a', 's1');
  expect(await gate.onIdle({ timeoutMs: 0 })).toEqual({ idle: false, left: 1 });
  expect(await gate.onIdle({ timeoutMs: 20 })).toEqual({ idle: false, left: 1 });
  expect(await gate.onIdle({ timeoutMs: 60_000, profile: 'b' })).toEqual({ idle: true });
  const idle = gate.onIdle();
  work.end();
  expect(await idle).toEqual({ idle: true });
  begin('a', 's2');
  const closed = gate.onIdle();
  gate.close();
  expect(await closed).toEqual({ idle: false, left: 1 });
});

test.each([-1, 1.5, Number.NaN, 2 ** 31])('a time of %s is no time to wait', async (timeoutMs) => {
  const { gate } = await connected('a');
  expect(() => gate.onIdle({ timeoutMs })).toThrow(
    expect.objectContaining({ code: 'VALUE_INVALID' }),
  );
});

test('a gate that left nothing undone leaves a mark, which its successor takes away', () => {
  const home = homeOf(makeRoot('a'), 'a');
  const open = (instance: string) => {
    const found: unknown[] = [];
    const gate = openGate({
      home,
      instance,
      link: false,
      onFound: ({ previous }) => void found.push(previous),
    });
    onTestFinished(() => gate.close());
    return { gate, found };
  };
  const first = open('gw-1');
  expect(first.found).toEqual([]);
  first.gate.begin({ door: 'turn', id: 's1' })?.end();
  first.gate.close();
  const second = open('gw-2');
  expect(second.found).toEqual([{ instance: 'gw-1', clean: true }]);
  // It is taken: a third gateway, while the second runs, knows of no clean end.
  expect(open('gw-3').found).toEqual([]);
  second.gate.begin({ door: 'turn', id: 's1' });
  second.gate.close();
  expect(readRegister(home).work).toHaveLength(1);
  expect(open('gw-4').found).toEqual([]);
});
