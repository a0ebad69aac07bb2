/** The memory of shown notices stays within its bounds for any input. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { shownNotices } from '../../src/doors/shown-notices.ts';
import type { Refused } from '../../src/index.ts';

/** Heap in use after a garbage collection. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

const refusedBy = (engagement: string): Refused => ({
  admitted: false,
  profile: 'a',
  door: 'turn',
  notice: 'New work on a is paused.',
  holds: [],
  until: null,
  retryAfter: 60,
  engagement,
});

test('it remembers as many conversations as it may, and no more', () => {
  const memory = shownNotices(100);
  for (let at = 0; at < 1_000; at += 1) {
    expect(memory.isNew(`c${at}`, 'ops', refusedBy('e1'))).toBe(true);
    expect(memory.size).toBeLessThanOrEqual(100);
  }
  expect(memory.isNew('c999', 'ops', refusedBy('e1'))).toBe(false);
  expect(memory.isNew('c0', 'ops', refusedBy('e1'))).toBe(true);
});

test('one conversation with ever new engagements and principals takes one place', () => {
  const memory = shownNotices(100);
  for (let at = 0; at < 1_000; at += 1) memory.isNew('c1', `p${at}`, refusedBy(`e${at}`));
  expect(memory.size).toBe(1);
  // The newest eight are known.
  expect(memory.isNew('c1', 'new', refusedBy('e999'))).toBe(false);
  expect(memory.isNew('c1', 'new', refusedBy('e992'))).toBe(false);
  expect(memory.isNew('c1', 'new', refusedBy('e991'))).toBe(true);
});

test('names of a megabyte weigh no more than others', () => {
  const memory = shownNotices(1_000);
  const long = 'x'.repeat(1_000_000);
  const before = heapUsed();
  for (let at = 0; at < 200; at += 1) memory.isNew(`${long}${at}`, `${long}${at}`, refusedBy('e1'));
  expect(memory.size).toBe(200);
  // Stored without digests, they would take 400 MB.
  expect(heapUsed() - before).toBeLessThan(20_000_000);
});

test('names that are put together alike are shown apart', () => {
  const memory = shownNotices(10);
  expect(memory.isNew('b","c', null, refusedBy('e1'))).toBe(true);
  expect(memory.isNew('b', 'c', refusedBy('e1'))).toBe(true);
  expect(memory.isNew('c', null, { ...refusedBy('e1'), profile: 'a","b' })).toBe(true);
});
