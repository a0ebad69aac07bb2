/** The catch-up sweep: each missed job once, never while held, and spread over time. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type MisfireOptions, misfireDoor, type Swept } from '../../src/index.ts';
import { doorFleet, HOLDS, hold, homeOf, inMs, liftAll, NO_HOLDS } from './door-fleet.ts';
import { recorder } from './recorder.ts';

/** A record of what is overdue, as a scheduler keeps it. */
function records(...jobs: readonly string[]) {
  const overdue = new Set(jobs);
  const swept = recorder<Swept<string>>();
  const ran: string[] = [];
  const options: MisfireOptions<string> = {
    missed: () => [...overdue],
    start(job) {
      ran.push(job);
      overdue.delete(job);
    },
    onSwept: swept.add,
  };
  return { overdue, ran, swept, options };
}

test.each(NO_HOLDS)('%s: what was missed is made up for at start, each once', async (_, place) => {
  const { root, gate, receipts } = doorFleet();
  place(root);
  const { ran, swept, options } = records('report', 'backup');
  misfireDoor(gate, options);
  expect(await swept.count(1)).toEqual([{ ran: ['report', 'backup'], failed: [], held: false }]);
  expect(ran).toEqual(['report', 'backup']);
  expect(receipts()).toEqual([]);
});

test.each(HOLDS)(
  '%s: nothing is made up for, and the records are not even read',
  async (_, place) => {
    const { root, gate, receipts } = doorFleet();
    place(root);
    const { overdue, ran, options } = records('report');
    const missed = () => {
      throw new Error('read');
    };
    const door = misfireDoor(gate, { ...options, missed });
    expect(await door.sweep()).toEqual({ ran: [], failed: [], held: true });
    expect([ran, [...overdue]]).toEqual([[], ['report']]);
    // No person was refused, so there is no receipt.
    expect(receipts()).toEqual([]);
    door.close();
  },
);

test('a lift starts a sweep by itself, when the wait is over that spreads them', async () => {
  const { root, gate } = doorFleet(['a'], { resumeSpreadMs: 400 });
  const { overdue, ran, swept, options } = records();
  misfireDoor(gate, options);
  await swept.count(1);
  const changes = recorder<{ atMs: number; waitMs: number }>();
  gate.onChange(({ resumeAfterMs }) => changes.add({ atMs: Date.now(), waitMs: resumeAfterMs }));
  hold(root, 'bad deploy');
  await changes.count(2);
  for (const tick of ['report', 'report', 'report']) overdue.add(tick);
  liftAll(root);
  const lifted = (await changes.count(3))[2];
  await swept.count(2);
  expect(ran).toEqual(['report']);
  // A timer may be a millisecond early.
  expect(Date.now() - (lifted?.atMs ?? Infinity)).toBeGreaterThanOrEqual((lifted?.waitMs ?? 0) - 2);
});

test('a deadline does so, too', async () => {
  const { root, gate } = doorFleet(['a'], { resumeSpreadMs: 50 });
  const { overdue, ran, swept, options } = records();
  misfireDoor(gate, options);
  await swept.count(1);
  hold(homeOf(root, 'a'), 'for a moment', { expiresAt: inMs(1_500) });
  overdue.add('report');
  await swept.count(2);
  expect(ran).toEqual(['report']);
});

test('a pause on the way leaves the rest for the next lift', async () => {
  const { root, gate } = doorFleet(['a'], { resumeSpreadMs: 0 });
  const { overdue, ran, swept, options } = records('one', 'two', 'three');
  const changes = recorder<boolean>();
  gate.onChange(({ engaged }) => changes.add(engaged));
  let comes = true;
  misfireDoor(gate, {
    ...options,
    async start(job) {
      await options.start(job);
      if (job === 'two' && comes) hold(root, 'bad deploy');
    },
  });
  expect(await swept.count(1)).toEqual([{ ran: ['one', 'two'], failed: [], held: true }]);
  expect([...overdue]).toEqual(['three']);
  await changes.count(2);
  comes = false;
  liftAll(root);
  await swept.count(2);
  expect(ran).toEqual(['one', 'two', 'three']);
});

test('a pause that is too short for a change event does not stop the sweep for ever', async () => {
  const { root, gate } = doorFleet(['a'], { resumeSpreadMs: 0 });
  const { ran, swept, options } = records('one', 'two');
  const events: boolean[] = [];
  misfireDoor(gate, {
    ...options,
    async start(job) {
      await options.start(job);
      if (job === 'one') hold(root, 'bad deploy');
    },
  });
  gate.onChange(({ engaged }) => void events.push(engaged));
  await swept.count(1);
  // At once: the gate has had no chance to read the disk since.
  liftAll(root);
  expect(events).toEqual([false]);
  await swept.count(2);
  expect(ran).toEqual(['one', 'two']);
});

test('a pause during the wait cancels the sweep', async () => {
  const { root, gate } = doorFleet(['a'], { resumeSpreadMs: 600_000 });
  const { ran, swept, options } = records('report');
  const changes = recorder<boolean>();
  const door = misfireDoor(gate, options);
  await swept.count(1);
  gate.onChange(({ engaged }) => changes.add(engaged));
  hold(root, 'one');
  await changes.count(2);
  liftAll(root);
  await changes.count(3);
  hold(root, 'two');
  await changes.count(4);
  expect(await door.sweep()).toMatchObject({ held: true });
  expect(ran).toEqual(['report']);
  door.close();
});

test('a job that fails is named, stays missed, and keeps no other from running', async () => {
  const { gate } = doorFleet();
  const { overdue, ran, swept, options } = records('one', 'two');
  const error = new Error('no network');
  misfireDoor(gate, {
    ...options,
    async start(job) {
      if (job === 'one') throw error;
      await options.start(job);
    },
  });
  expect(await swept.count(1)).toEqual([
    { ran: ['two'], failed: [{ job: 'one', error }], held: false },
  ]);
  expect([ran, [...overdue]]).toEqual([['two'], ['one']]);
});

test('what fails in a sweep that nobody awaits is not lost', async () => {
  const { gate } = doorFleet();
  const rejected = recorder<unknown>();
  const listen = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (error) => rejected.add(error));
  try {
    const error = new Error('no network');
    const { options } = records('one');
    const { onSwept: _, ...quiet } = options;
    misfireDoor(gate, { ...quiet, start: () => Promise.reject(error) });
    expect(await rejected.count(1)).toMatchObject([{ errors: [error] }]);
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of listen) process.on('unhandledRejection', listener);
  }
});

test('records that cannot be read are the error of whoever called', async () => {
  const { gate } = doorFleet();
  const { options } = records();
  const error = new Error('no database');
  const door = misfireDoor(gate, { ...options, missed: () => Promise.reject(error) });
  const sweeps = await Promise.allSettled([door.sweep(), door.sweep()]);
  expect(sweeps).toMatchObject([{ reason: error }, { reason: error }]);
  door.close();
});

test('records may be read one by one, and two sweeps at once are one', async () => {
  const { gate } = doorFleet();
  const { ran, options } = records();
  const door = misfireDoor(gate, {
    ...options,
    async *missed() {
      yield 'one';
      yield 'two';
    },
  });
  const [first, second] = await Promise.all([door.sweep(), door.sweep()]);
  expect(first).toBe(second);
  expect(ran).toEqual(['one', 'two']);
  door.close();
});

test('a lift during a sweep is followed by another, which sees what became overdue', async () => {
  const { root, gate } = doorFleet(['a'], { resumeSpreadMs: 0 });
  const { overdue, ran, swept, options } = records('long');
  const changes = recorder<boolean>();
  gate.onChange(({ engaged }) => changes.add(engaged));
  misfireDoor(gate, {
    ...options,
    async start(job) {
      await options.start(job);
      if (job !== 'long') return;
      hold(root, 'bad deploy');
      await changes.count(2);
      overdue.add('report');
      liftAll(root);
      await changes.count(3);
      // Longer than the delay of the sweep after the lift, so that it finds this one under way.
      await delay(5);
    },
  });
  await swept.count(2);
  expect(ran).toEqual(['long', 'report']);
});

test('after its end a lift starts nothing', async () => {
  const { root, gate } = doorFleet(['a'], { resumeSpreadMs: 0 });
  const { ran, swept, options } = records();
  const door = misfireDoor(gate, options);
  await swept.count(1);
  door.close();
  const changes = recorder<boolean>();
  gate.onChange(({ engaged }) => changes.add(engaged));
  hold(root, 'bad deploy');
  await changes.count(2);
  liftAll(root);
  await changes.count(3);
  expect(await door.sweep()).toMatchObject({ held: false });
  expect([swept.entries.length, ran]).toEqual([1, []]);
});
