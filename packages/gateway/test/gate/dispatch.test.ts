/** Scheduler doors: one log line per engagement and door, including pauses between two ticks. */
import { formatInstant } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { hold, homeOf, liftAll, makeRoot } from '../support/fleets.ts';
import { hearing, opened } from './opened.ts';

interface Logged {
  readonly door: string;
  readonly profile: string;
  readonly ended: boolean;
  readonly forgotten?: number;
  readonly message: string;
}

function servedProfile(...profiles: string[]) {
  const root = makeRoot('a', 'b');
  const homes = (profiles.length === 0 ? ['a'] : profiles).map((name) => homeOf(root, name));
  const logged: Logged[] = [];
  const log = {
    info: (fields: object, message: string) => void logged.push({ ...(fields as Logged), message }),
  };
  const gate = opened(homes, { log });
  return { root, home: homes[0] ?? '', gate, logged, heard: hearing(gate) };
}

test('it says whether new work may start, and tells it once for each door', () => {
  const { home, gate, logged } = servedProfile();
  expect([gate.dispatch('cron'), gate.dispatch('kanban')]).toEqual([true, true]);
  expect(logged).toEqual([]);
  hold(home, 'bad deploy');
  for (let times = 0; times < 5; times++) {
    expect([gate.dispatch('cron'), gate.dispatch('kanban')]).toEqual([false, false]);
  }
  expect(logged).toMatchObject([
    { door: 'cron', profile: 'a', ended: false, message: expect.stringContaining('bad deploy') },
    { door: 'kanban', profile: 'a', ended: false },
  ]);
});

test('the next pause is logged again, and so is a hold that is placed beside another', () => {
  const { root, home, gate, logged } = servedProfile();
  const tick = () => gate.dispatch('cron');
  hold(home, 'first');
  tick();
  liftAll(home);
  tick();
  hold(home, 'second');
  tick();
  hold(root, 'third');
  tick();
  tick();
  expect(logged.map(({ message }) => /first|second.*third|second/.exec(message)?.[0])).toEqual([
    'first',
    'second',
    expect.stringMatching(/^second.*third$/),
  ]);
});

test('a pause that began and ended between two ticks is logged at the next, once for each door', async () => {
  const { home, gate, logged, heard } = servedProfile();
  gate.dispatch('cron');
  const id = hold(home, 'blink');
  await heard.until(({ engaged }) => engaged);
  liftAll(home);
  await heard.until(({ engaged, resumeAfterMs }) => !engaged && resumeAfterMs > 0);
  expect([gate.dispatch('cron'), gate.dispatch('cron'), gate.dispatch('kanban')]).toEqual([
    true,
    true,
    true,
  ]);
  expect(logged).toMatchObject([
    { door: 'cron', ended: true, holds: [id], message: expect.stringContaining('blink') },
    { door: 'kanban', ended: true, holds: [id] },
  ]);
});

test('a pause that expires between two ticks is logged, too', async () => {
  const { home, gate, logged, heard } = servedProfile();
  gate.dispatch('cron');
  hold(home, 'for a moment', { expiresAt: formatInstant(Date.now() + 300) });
  await heard.until(({ engaged }) => engaged);
  await heard.until(({ engaged, resumeAfterMs }) => !engaged && resumeAfterMs > 0);
  expect(gate.dispatch('cron')).toBe(true);
  expect(logged).toMatchObject([
    { message: expect.stringContaining('expired at its deadline') },
    { door: 'cron', ended: true },
  ]);
});

test('of many pauses, the newest ones and the number of the others are logged', () => {
  const { home, gate, logged } = servedProfile();
  gate.dispatch('cron');
  for (let times = 0; times < 20; times++) {
    hold(home, `pause ${times}`);
    gate.dispatch('kanban');
    liftAll(home);
    gate.dispatch('kanban');
  }
  const before = logged.length;
  gate.dispatch('cron');
  const lines = logged.slice(before);
  expect(lines[0]?.forgotten).toBe(12);
  expect(lines.slice(1).map(({ message }) => /pause \d+/.exec(message)?.[0])).toEqual(
    Array.from({ length: 8 }, (_, at) => `pause ${at + 12}`),
  );
});

test('profiles of one gate are logged separately', () => {
  const { root, gate, logged } = servedProfile('a', 'b');
  hold(homeOf(root, 'b'), 'b only');
  expect([gate.dispatch('cron', 'a'), gate.dispatch('cron', 'b')]).toEqual([true, false]);
  expect(logged).toMatchObject([{ profile: 'b' }]);
});

test('a log that throws keeps no scheduler from its answer', async () => {
  const root = makeRoot('a');
  hold(homeOf(root, 'a'), 'held');
  const surfaced: unknown[] = [];
  const log = {
    info() {
      surfaced.push('called');
      throw new Error('of the author');
    },
  };
  const gate = opened(homeOf(root, 'a'), { log });
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  const uncaught = new Promise<string>((resolve) => {
    process.once('uncaughtException', ({ message }) => {
      for (const listener of others) process.on('uncaughtException', listener);
      resolve(message);
    });
  });
  expect(gate.dispatch('cron')).toBe(false);
  expect(await uncaught).toBe('of the author');
  expect(surfaced).toEqual(['called']);
});

test('without a log it answers the same', () => {
  const root = makeRoot('a');
  const gate = opened(homeOf(root, 'a'));
  hold(homeOf(root, 'a'), 'held');
  expect(gate.dispatch('cron')).toBe(false);
});
