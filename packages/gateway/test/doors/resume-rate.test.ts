/** After a lift, a gate with `resumeRate` starts no more than so much in a time; the rest waits for its turn. */
import { writeMissed } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { resumeLimit } from '../../src/gate/resume-rate.ts';
import {
  cronDoor,
  type GateLog,
  type GateOptions,
  kanbanDoor,
  misfireDoor,
  type ResumeRate,
  type Swept,
} from '../../src/index.ts';
import { doorFleet, hold, homeOf, liftAll } from './door-fleet.ts';
import { recorder } from './recorder.ts';

const SLOW: ResumeRate = { starts: 1, perMs: 3_600_000, forMs: 3_600_000 };

/** A fleet whose gate has seen a hold on the root be lifted. */
async function liftedFleet(profiles: readonly string[], more: Partial<GateOptions>) {
  const fleet = doorFleet(profiles, {
    before: (root) => hold(root, 'bad deploy'),
    resumeSpreadMs: 0,
    ...more,
  });
  const free = recorder<string>();
  fleet.gate.onChange(({ profile, engaged }) => {
    if (!engaged) free.add(profile);
  });
  liftAll(fleet.root);
  await free.count(profiles.length);
  return fleet;
}

/** Five overdue jobs for each profile, caught up with by one gate. */
function overdueFleet(
  resumeRate: ResumeRate,
  start: (total: number, root: string) => void = () => {},
) {
  const profiles = Array.from({ length: 40 }, (_, nth) => `lane-${nth}`);
  const before = (root: string) => hold(root, 'bad deploy');
  const { root, gate } = doorFleet(profiles, { before, resumeSpreadMs: 0, resumeRate });
  const starts: { job: string; atMs: number }[] = [];
  const swept = recorder<Swept<string>>();
  for (const profile of profiles) {
    const overdue = new Set([1, 2, 3, 4, 5].map((nth) => `${profile} job ${nth}`));
    misfireDoor(gate, {
      profile,
      missed: () => [...overdue],
      start(job) {
        starts.push({ job, atMs: performance.now() });
        overdue.delete(job);
        start(starts.length, root);
      },
      onSwept: swept.add,
    });
  }
  const jobs = profiles.flatMap((profile) => [1, 2, 3, 4, 5].map((nth) => `${profile} job ${nth}`));
  return { root, gate, starts, swept, jobs };
}

test('200 overdue jobs of 40 profiles do not start in one tick, and each starts once', async () => {
  const { root, starts, swept, jobs } = overdueFleet({ starts: 20, perMs: 250, forMs: 3_600_000 });
  const liftedMs = performance.now();
  liftAll(root);
  await swept.count(40);
  expect(starts.map(({ job }) => job).sort()).toEqual(jobs.sort());
  // The n-th twenty come n - 1 times 250 ms after the first of them at the earliest.
  starts.forEach(({ atMs }, nth) => {
    expect(atMs - liftedMs).toBeGreaterThanOrEqual(Math.floor(nth / 20) * 250);
  });
});

test('a pause meanwhile stops the rest, which the next lift brings, each once', async () => {
  const rate = { starts: 20, perMs: 100, forMs: 3_600_000 };
  const { root, starts, swept, jobs } = overdueFleet(rate, (total, fleet) => {
    if (total === 50) hold(fleet, 'again');
  });
  liftAll(root);
  expect((await swept.count(40)).some(({ held }) => held)).toBe(true);
  expect(starts).toHaveLength(50);
  liftAll(root);
  await expect.poll(() => starts.length).toBe(200);
  expect(starts.map(({ job }) => job).sort()).toEqual(jobs.sort());
});

test('never more than so many in any time, whenever they are asked for', () => {
  let nowMs = 1_000;
  const limit = resumeLimit({ starts: 3, perMs: 100, forMs: 10_000 }, () => nowMs);
  limit.see('a', true);
  limit.see('a', false);
  const startedMs: number[] = [];
  for (; nowMs < 5_000; nowMs += 7) {
    const waitMs = limit.waitMs('a');
    for (let asked = 0; asked < 4; asked++) if (limit.take('a')) startedMs.push(nowMs);
    expect(waitMs === 0).toBe(startedMs.at(-1) === nowMs);
  }
  expect(startedMs.length).toBeGreaterThan(100);
  startedMs.slice(3).forEach((ms, nth) => {
    expect(ms - (startedMs[nth] ?? 0)).toBeGreaterThanOrEqual(100);
  });
});

test('what was never held uses up no start, and nobody gives back the start of another', () => {
  const limit = resumeLimit({ starts: 2, perMs: 100, forMs: 10_000 }, () => 1_000);
  for (const profile of ['a', 'b']) {
    limit.see(profile, true);
    limit.see(profile, false);
  }
  for (let nth = 0; nth < 5; nth++) expect(limit.take('free')).toBe(true);
  expect([limit.take('a'), limit.take('a'), limit.take('b')]).toEqual([true, true, false]);
  limit.giveBack('b');
  limit.giveBack('free');
  expect(limit.take('b')).toBe(false);
  limit.giveBack('a');
  expect(limit.take('b')).toBe(true);
});

test('dispatch says "not yet" without a word, and people are not delayed', async () => {
  const lines: unknown[] = [];
  const log: GateLog = { info: (...line) => lines.push(line), warn: (...line) => lines.push(line) };
  const { gate, receipts } = await liftedFleet(['a', 'b'], { resumeRate: SLOW, log });
  lines.length = 0;
  expect(gate.startsInMs('a')).toBe(0);
  expect(gate.dispatch('own', 'a')).toBe(true);
  // The rate is that of the whole gate.
  for (const profile of ['a', 'b']) {
    expect(gate.dispatch('own', profile)).toBe(false);
    expect(gate.startsInMs(profile)).toBeGreaterThan(3_500_000);
    expect(gate.admit({ door: 'turn', profile }).admitted).toBe(true);
  }
  expect([lines.filter((line) => /starts nothing/.test(String(line))), receipts()]).toEqual([
    [],
    [],
  ]);
  gate.returnStart('a');
  expect(gate.dispatch('own', 'b')).toBe(true);
});

test('only what was lifted is limited, and only for a while', async () => {
  const { root, gate } = doorFleet(['a', 'b'], { resumeRate: { ...SLOW, forMs: 200 } });
  const free = recorder<string>();
  hold(homeOf(root, 'a'), 'bad deploy');
  expect(gate.dispatch('own', 'a')).toBe(false);
  gate.onChange(({ profile, engaged }) => {
    if (!engaged) free.add(profile);
  });
  liftAll(homeOf(root, 'a'));
  await expect.poll(() => gate.dispatch('own', 'a')).toBe(true);
  for (let nth = 0; nth < 5; nth++) expect(gate.dispatch('own', 'b')).toBe(true);
  await expect.poll(() => gate.startsInMs('a')).toBe(0);
  for (let nth = 0; nth < 5; nth++) expect(gate.dispatch('own', 'a')).toBe(true);
});

test('a gate that starts after the lift has no limit', () => {
  const { gate } = doorFleet(['a'], { resumeRate: SLOW });
  for (let nth = 0; nth < 5; nth++) expect(gate.dispatch('own')).toBe(true);
});

test('a due cron job waits for its turn', async () => {
  const rate = { starts: 1, perMs: 300, forMs: 3_600_000 };
  const { gate } = await liftedFleet(['a'], { resumeRate: rate });
  const cron = cronDoor(gate);
  const ran: number[] = [];
  const beganMs = performance.now();
  const run = (job: string) => cron.run(job, () => void ran.push(performance.now()));
  expect(await Promise.all([run('one'), run('two')])).toMatchObject([{ ran: true }, { ran: true }]);
  expect((ran[1] ?? 0) - beganMs).toBeGreaterThanOrEqual(300);
});

test('a job that is due again while it waits does not wait twice', async () => {
  const { root, gate } = await liftedFleet(['a'], { resumeRate: SLOW });
  const cron = cronDoor(gate);
  await cron.run('one', () => 'done');
  const first = cron.run('two', () => 'done');
  expect(await cron.run('two', () => 'done')).toEqual({ ran: false, why: 'in-hand' });
  hold(root, 'again');
  expect(await first).toEqual({ ran: false, why: 'held' });
});

test('a later lift that says `skip` ends the waiting of an earlier sweep', async () => {
  const { root, gate } = await liftedFleet(['a'], { resumeRate: SLOW });
  const ran: string[] = [];
  const skipped: string[] = [];
  const overdue = new Set(['one', 'two']);
  const door = misfireDoor(gate, {
    missed: () => [...overdue],
    start(job) {
      ran.push(job);
      overdue.delete(job);
    },
    skip(job) {
      skipped.push(job);
      overdue.delete(job);
    },
  });
  await expect.poll(() => ran).toEqual(['one']);
  const isHeld = recorder<string>();
  gate.onChange(({ profile, engaged }) => {
    if (engaged) isHeld.add(profile);
  });
  const again = hold(root, 'again');
  await isHeld.count(1);
  writeMissed(root, { hold: again, choice: 'skip', by: 'operator' });
  liftAll(root);
  await expect.poll(() => skipped).toEqual(['two']);
  expect(ran).toEqual(['one']);
  door.close();
});

test('a pause that comes meanwhile refuses a job that waits', async () => {
  const { root, gate } = await liftedFleet(['a'], { resumeRate: SLOW });
  const cron = cronDoor(gate);
  expect(await cron.run('one', () => 'done')).toEqual({ ran: true, value: 'done' });
  const second = cron.run('two', () => 'done');
  hold(root, 'again');
  expect(await second).toEqual({ ran: false, why: 'held' });
});

test('cards over the rate stay untouched on the board, and an empty board uses up no start', async () => {
  const { gate } = await liftedFleet(['a', 'b'], {
    resumeRate: { ...SLOW, starts: 2 },
  });
  const cards = ['one', 'two', 'three'];
  const givenBack: string[] = [];
  const door = (profile: string, waiting: string[]) =>
    kanbanDoor(gate, {
      profile,
      claim: () => waiting.shift(),
      spawn: (card) => card,
      giveBack: (card) => void givenBack.push(card),
    });
  const nothing = door('b', []);
  for (let nth = 0; nth < 5; nth++) {
    expect(await nothing.tick()).toEqual({ spawned: [], givenBack: [], held: false });
  }
  const board = door('a', cards);
  const first = await board.tick();
  expect(first.spawned.map(({ card }) => card)).toEqual(['one', 'two']);
  expect(first).toMatchObject({ givenBack: [], held: false, notYet: true });
  expect([cards, givenBack]).toEqual([['three'], []]);
  gate.returnStart('a');
  gate.returnStart('a');
  expect(await board.tick()).toEqual({
    spawned: [{ card: 'three', worker: 'three' }],
    givenBack: [],
    held: false,
  });
});

test.each([
  { starts: 0, perMs: 1, forMs: 1 },
  { starts: 1.5, perMs: 1, forMs: 1 },
  { starts: 1, perMs: 0, forMs: 1 },
  { starts: 1, perMs: 1, forMs: Number.POSITIVE_INFINITY },
  { starts: 1, perMs: 1 } as ResumeRate,
])('%j is refused by name', (resumeRate) => {
  expect(() => doorFleet(['a'], { resumeRate })).toThrow(
    expect.objectContaining({
      code: 'VALUE_INVALID',
      message: expect.stringContaining(JSON.stringify(resumeRate)),
    }),
  );
});
