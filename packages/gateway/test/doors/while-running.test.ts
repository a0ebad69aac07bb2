/** Timers that follow the state of a profile at once. */
import { expect, test } from 'vitest';
import { cronDoor, type Gate, kanbanDoor, misfireDoor, whileRunning } from '../../src/index.ts';
import { doorFleet, hold, homeOf, inMs, liftAll } from './door-fleet.ts';
import { recorder } from './recorder.ts';

function followed(gate: Gate) {
  const calls = recorder<string>();
  const end = whileRunning(
    gate,
    (profile) => calls.add(`start ${profile}`),
    (profile) => calls.add(`stop ${profile}`),
  );
  return { ...calls, end };
}

test('what runs is started before it returns, and what is held is not', () => {
  const { gate } = doorFleet(['a', 'b'], {
    before: (root) => void hold(homeOf(root, 'b'), 'fan-out'),
  });
  expect(followed(gate).entries).toEqual(['start a']);
});

test('under a hold there is nothing to stop, and the lift starts it', async () => {
  const { root, gate } = doorFleet(['a'], { before: (root) => void hold(root, 'bad deploy') });
  const { entries, count } = followed(gate);
  expect(entries).toEqual([]);
  liftAll(root);
  expect(await count(1)).toEqual(['start a']);
});

test('a pause stops that profile, a lift starts it again, and others go on', async () => {
  const { root, gate } = doorFleet(['a', 'b']);
  const { count } = followed(gate);
  await count(2);
  hold(homeOf(root, 'a'), 'fan-out');
  await count(3);
  liftAll(homeOf(root, 'a'));
  expect(await count(4)).toEqual(['start a', 'start b', 'stop a', 'start a']);
});

test('a second hold stops nothing twice, and the lift of one of two starts nothing', async () => {
  const { root, gate } = doorFleet();
  const changes = recorder<boolean>();
  const { entries, count } = followed(gate);
  gate.onChange(({ engaged }) => changes.add(engaged));
  hold(root, 'one');
  await count(2);
  hold(homeOf(root, 'a'), 'two');
  await changes.count(3);
  liftAll(root);
  await changes.count(4);
  expect(entries).toEqual(['start a', 'stop a']);
  liftAll(homeOf(root, 'a'));
  await count(3);
});

test('beside doors whose timers it stops, each pause is logged when it comes, and not after the lift', async () => {
  const logged = recorder<string>();
  const log = { info: (_: object, message: string) => logged.add(message) };
  const { root, gate } = doorFleet(['a'], { log });
  cronDoor(gate);
  kanbanDoor(gate, { claim: () => null, spawn: () => {}, giveBack: () => {} });
  const catchUp = misfireDoor(gate, { missed: () => [], start: () => {} });
  const { count } = followed(gate);
  hold(root, 'bad deploy');
  await logged.count(3);
  expect((await count(2)).at(-1)).toBe('stop a');
  expect(logged.entries.toSorted()).toEqual([
    expect.stringMatching(/^cron starts nothing: .*bad deploy/),
    expect.stringMatching(/^cron-misfire starts nothing: .*bad deploy/),
    expect.stringMatching(/^kanban starts nothing: .*bad deploy/),
  ]);
  liftAll(root);
  await count(3);
  expect(cronDoor(gate).tick()).toBe(true);
  expect(logged.entries).toHaveLength(3);
  catchUp.close();
});

test('a deadline starts it by itself', async () => {
  const { root, gate } = doorFleet();
  const { count } = followed(gate);
  hold(root, 'for a moment', { expiresAt: inMs(1_500) });
  expect(await count(3)).toEqual(['start a', 'stop a', 'start a']);
});

test('its end stops what runs, once, and nothing follows', async () => {
  const { root, gate } = doorFleet(['a', 'b']);
  const { entries, end } = followed(gate);
  end();
  end();
  expect(entries).toEqual(['start a', 'start b', 'stop a', 'stop b']);
  const changes = recorder<boolean>();
  gate.onChange(({ engaged }) => changes.add(engaged));
  hold(root, 'bad deploy');
  await changes.count(4);
  liftAll(root);
  await changes.count(6);
  expect(entries).toHaveLength(4);
});

test('what failed to start is stopped all the same, and what failed to stop is stopped again', async () => {
  const { root, gate } = doorFleet();
  const uncaught = recorder<unknown>();
  const listen = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => uncaught.add(error));
  try {
    const calls = recorder<string>();
    let fails = true;
    const failing = (what: string) => () => {
      calls.add(what);
      if (fails) throw new Error(what);
    };
    const end = whileRunning(gate, failing('start'), failing('stop'));
    hold(root, 'one');
    await calls.count(2);
    await uncaught.count(2);
    fails = false;
    hold(homeOf(root, 'a'), 'two');
    expect(await calls.count(3)).toEqual(['start', 'stop', 'stop']);
    end();
    expect(calls.entries).toHaveLength(3);
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of listen) process.on('uncaughtException', listener);
  }
});
