/** Progress of work in hand, its author's limit, and the address of its owner. */
import { lutimesSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { formatInstant } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { readRegister } from '../../src/in-flight/read-register.ts';
import type { WorkToBegin } from '../../src/in-flight/register.ts';
import { killAtTheEnd, startHolder, until } from './support/holders.ts';
import { claimOf, entriesOf, leave, makeHome, opened, turn } from './support/homes.ts';

const HOUR_MS = 3_600_000;
const limited = (id: string) => ({ ...turn(id), conversation: 'chat-7', stallMs: HOUR_MS });
const entryOf = (home: string, id: string): string =>
  join(claimOf(home, id), entriesOf(home, id)[0] ?? '');
const markedMs = (home: string, id: string): number => statSync(entryOf(home, id)).mtimeMs;

/** The only piece of work. */
function onlyWork(home: string, nowMs = Date.now()) {
  const { work } = readRegister(home, { now: () => nowMs });
  expect(work).toHaveLength(1);
  return work[0];
}

/** As if the last progress were that long ago. */
function markedAgo(home: string, id: string, ms: number): void {
  const at = (Date.now() - ms) / 1_000;
  lutimesSync(entryOf(home, id), at, at);
}

/** A register whose clocks are moved by the test. */
function withClocks(home: string, startMs = Date.now()) {
  const clocks = { nowMs: startMs, monotonicMs: 0 };
  const register = opened(home, {
    leaseMs: 60,
    now: () => clocks.nowMs,
    clock: () => clocks.monotonicMs,
  });
  const passes = (ms: number) => {
    clocks.nowMs += ms;
    clocks.monotonicMs += ms;
  };
  return { register, clocks, passes };
}

test('the record says who is to be told, and how long the work may go without progress', () => {
  const home = makeHome();
  const since = Date.UTC(2030, 0, 1);
  opened(home, { now: () => since }).begin(limited('s1'));
  const text = JSON.parse(readFileSync(entryOf(home, 's1'), 'utf8'));
  expect(text).toMatchObject({ conversation: 'chat-7', stall_ms: HOUR_MS });
  expect(onlyWork(home)).toMatchObject({ conversation: 'chat-7', stallMs: HOUR_MS });
});

test('a record of an older gateway has neither, and is never wedged', () => {
  const home = makeHome();
  leave(home, 's1', { host: 'elsewhere' });
  const far = Date.now() + 1_000 * HOUR_MS;
  expect(onlyWork(home, far)).toMatchObject({ conversation: null, stallMs: null, wedged: false });
});

test.each([
  [{ conversation: 7, stall_ms: '60000' }, null],
  [{ conversation: ['chat'], stall_ms: -1 }, null],
  [{ conversation: {}, stall_ms: 0 }, null],
  [{ conversation: null, stall_ms: 0.5 }, null],
  [{ conversation: 'x'.repeat(1_000), stall_ms: 1e300 }, `${'x'.repeat(255)}\u2026`],
])('a hostile record is read within bounds: %j', (fields, conversation) => {
  const home = makeHome();
  leave(home, 's1', {}, JSON.stringify({ door: 'turn', id: 's1', ...fields }));
  const far = Date.now() + 1_000 * HOUR_MS;
  expect(onlyWork(home, far)).toMatchObject({ conversation, stallMs: null, wedged: false });
});

test.each([
  { conversation: '' },
  { conversation: 7 },
  { stallMs: 0 },
  { stallMs: -1 },
  { stallMs: 1.5 },
  { stallMs: Number.NaN },
  { stallMs: Number.POSITIVE_INFINITY },
  { stallMs: '60000' },
])('a mistaken address or limit is refused when the work begins: %j', (mistake) => {
  const register = opened(makeHome());
  const work = { ...turn('s1'), ...mistake } as unknown as WorkToBegin;
  expect(() => register.begin(work)).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }));
  expect(register.count()).toBe(0);
});

test('another process sees progress, and work without it as wedged until the next', async () => {
  const home = makeHome();
  const holder = await startHolder(home);
  await holder.ask({ does: 'begin-limited', ids: ['s1'] });
  expect(onlyWork(home)).toMatchObject({ fate: 'running', wedged: false });

  // Two hours later, without progress since.
  const laterMs = Date.now() + 2 * HOUR_MS;
  expect(onlyWork(home, laterMs)?.wedged).toBe(true);
  lutimesSync(entryOf(home, 's1'), laterMs / 1_000, (laterMs - HOUR_MS + 60_000) / 1_000);
  expect(onlyWork(home, laterMs)?.wedged).toBe(false);
  markedAgo(home, 's1', 60_000);

  const before = { text: readFileSync(entryOf(home, 's1'), 'utf8'), at: markedMs(home, 's1') };
  expect(await holder.ask({ does: 'touch', ids: ['s1'] })).toMatchObject({ done: ['s1'] });
  expect(markedMs(home, 's1')).toBeGreaterThan(before.at);
  expect(readFileSync(entryOf(home, 's1'), 'utf8')).toBe(before.text);
  expect(onlyWork(home)).toMatchObject({
    progressAt: formatInstant(Math.floor(markedMs(home, 's1'))),
    wedged: false,
  });
});

test('age alone never makes work wedged: without a limit it runs for as long as its process', () => {
  const home = makeHome();
  opened(home).begin(turn('s1'));
  expect(onlyWork(home, Date.now() + 10_000 * HOUR_MS)).toMatchObject({
    fate: 'running',
    wedged: false,
  });
});

test('work that was cut off is not wedged: nobody does it', async () => {
  const home = makeHome();
  const holder = await startHolder(home);
  await holder.ask({ does: 'begin-limited', ids: ['s1'] });
  await holder.killed();
  expect(onlyWork(home, Date.now() + 2 * HOUR_MS)).toMatchObject({
    fate: 'abandoned',
    wedged: false,
  });
});

test('progress is marked once a second, and the calls between cost nothing', () => {
  const home = makeHome();
  const { register, passes } = withClocks(home);
  const claim = register.begin(limited('s1'));
  passes(10_000);
  expect(claim?.touch()).toBe(true);
  const first = markedMs(home, 's1');
  passes(999);
  // Without its folder a system call would fail, and say so.
  const moved = `${claimOf(home, 's1')}.away`;
  renameSync(claimOf(home, 's1'), moved);
  expect(claim?.touch()).toBe(true);
  renameSync(moved, claimOf(home, 's1'));
  expect(markedMs(home, 's1')).toBe(first);
  passes(1);
  expect(claim?.touch()).toBe(true);
  expect(markedMs(home, 's1') - first).toBeCloseTo(1_000, -1);
});

test('what is no longer ours makes no progress: ended, removed, or begun by another process', async () => {
  const home = makeHome();
  const register = opened(home);
  const ended = register.begin(turn('s1'));
  ended?.end();
  expect(ended?.touch()).toBe(false);

  const removed = register.begin(turn('s2'));
  rmSync(claimOf(home, 's2'), { recursive: true });
  expect(removed?.touch()).toBe(false);

  const taken = register.begin(turn('s3'));
  rmSync(claimOf(home, 's3'), { recursive: true });
  const holder = await startHolder(home);
  expect(await holder.ask({ does: 'begin', ids: ['s3'] })).toMatchObject({ done: ['s3'] });
  const successors = markedMs(home, 's3');
  expect(taken?.touch()).toBe(false);
  expect(markedMs(home, 's3')).toBe(successors);
});

test('work that a successor has adopted keeps its progress, address and limit, and can make more', async () => {
  const home = makeHome();
  const first = await startHolder(home);
  const { pids } = await first.ask({ does: 'work', ids: ['s1'] });
  killAtTheEnd(pids);
  await first.killed();
  markedAgo(home, 's1', HOUR_MS);
  const old = markedMs(home, 's1');
  const successor = await startHolder(home);
  await until(() => onlyWork(home)?.owner === successor.opened.owner);
  expect(markedMs(home, 's1')).toBe(old);
  const asked = await successor.ask({ does: 'touch-adopted', ids: ['s1', 's2'] });
  expect(asked).toMatchObject({ done: ['s1'] });
  expect(markedMs(home, 's1')).toBeGreaterThan(old);
});

test('a clock that was set back makes no work look fresh for ever', async () => {
  const home = makeHome();
  const { register, clocks, passes } = withClocks(home);
  register.begin(limited('s1'))?.touch();
  clocks.nowMs -= 1_000 * HOUR_MS;
  // It was marked in what is the future now, and is wedged by no reader of this moment.
  expect(onlyWork(home, clocks.nowMs)?.wedged).toBe(false);
  await until(() => markedMs(home, 's1') <= clocks.nowMs);
  passes(2 * HOUR_MS);
  expect(onlyWork(home, clocks.nowMs)?.wedged).toBe(true);
});

test('a clock that was set forward, or back under work that makes progress, makes none look wedged for ever', async () => {
  const home = makeHome();
  const { register, clocks, passes } = withClocks(home);
  const claim = register.begin(limited('s1'));
  claim?.touch();
  clocks.nowMs += 1_000 * HOUR_MS;
  await until(() => onlyWork(home, clocks.nowMs)?.wedged === false);
  clocks.nowMs -= 2_000 * HOUR_MS;
  passes(1_000);
  expect(claim?.touch()).toBe(true);
  expect(Math.abs(markedMs(home, 's1') - clocks.nowMs)).toBeLessThan(10);
  expect(onlyWork(home, clocks.nowMs)?.wedged).toBe(false);
});

test('progress is never before the beginning, and a far time on disk is no error', () => {
  const home = makeHome();
  opened(home).begin(limited('s1'));
  const since = onlyWork(home)?.since;
  lutimesSync(entryOf(home, 's1'), 0, 0);
  expect(onlyWork(home)).toMatchObject({ progressAt: since, wedged: false });
  lutimesSync(entryOf(home, 's1'), 1e12, 1e12);
  // File systems cut such a time differently.
  expect(onlyWork(home)).toMatchObject({ progressAt: expect.any(String), wedged: false });
});

test('work that the disk refused makes progress in its own process', () => {
  const home = makeHome();
  const { register, passes } = withClocks(home);
  rmSync(home, { recursive: true });
  const claim = register.begin(limited('s1'));
  expect(claim?.recorded).toBe(false);
  passes(2 * HOUR_MS);
  expect(register.list().work).toMatchObject([{ id: 's1', wedged: true }]);
  expect(claim?.touch()).toBe(true);
  expect(register.list().work).toMatchObject([{ id: 's1', wedged: false }]);
});
