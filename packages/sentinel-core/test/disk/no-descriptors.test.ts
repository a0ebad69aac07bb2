/**
 * A process that has no file descriptor left: it still places a hold, and ends nobody's that it could
 * not read.
 */
import { mkdirSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import type { ArmResult, LiftResult } from '../../src/disk/results.ts';
import { EXPIRED, STANDING, sentinelOf, textOf, writeSentinel } from '../support/bodies.ts';
import { needs } from '../support/needs.ts';
import { atOnce, type Order } from '../support/rush.ts';
import { besideSentinel, scopeDir } from '../support/scope-dir.ts';

needs(process.platform === 'linux' ? undefined : 'descriptors are limited as on Linux');
const disk = nodeDisk();

const starved = async <Answer>(order: Omit<Order, 'descriptors'>): Promise<Answer | undefined> => {
  const [answer] = await atOnce<Answer>([{ ...order, descriptors: 64 }]);
  return answer;
};

test('an arm over nothing places a folder, which holds, and any operator lifts it', async () => {
  const dir = scopeDir();
  const answer = await starved<ArmResult>({ operation: 'arm', dir, argument: { holder: 'me' } });
  expect(answer).toMatchObject({ armed: true, degraded: 'folder', why: 'EMFILE' });
  expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ holder: null, allow: null }] });
  expect(lift(disk, dir, { holder: 'operator' })).toMatchObject({ lifted: true });
  expect(check(disk, dir)).toEqual({ engaged: false, expired: false });
  expect(besideSentinel(dir)).toEqual([]);
});

test('a lift without descriptors is refused, says why, and leaves the hold', async () => {
  const dir = scopeDir();
  await starved<ArmResult>({ operation: 'arm', dir });
  const answer = await starved<LiftResult>({
    operation: 'lift',
    dir,
    argument: { holder: 'operator' },
  });
  expect(answer).toMatchObject({ lifted: false, why: 'EMFILE' });
  expect(check(disk, dir)).toMatchObject({ engaged: true });
  expect(lift(disk, dir, { holder: 'operator' })).toMatchObject({ lifted: true });
  expect(besideSentinel(dir)).toEqual([]);
});

test.each([
  ['a folder', (path: string) => mkdirSync(path)],
  ['a link', (path: string) => symlinkSync('/nowhere', path)],
])('where %s holds already, an arm says that others hold', async (_what, make) => {
  const dir = scopeDir();
  make(sentinelOf(dir));
  const answer = await starved<ArmResult>({ operation: 'arm', dir });
  expect(answer).toMatchObject({ armed: false, why: 'EMFILE', engaged: true });
});

test('three holders’ sentinel is neither lifted nor written over', async () => {
  const dir = scopeDir();
  writeSentinel(dir, STANDING);
  const before = textOf(dir);
  const lifted = await starved<LiftResult>({
    operation: 'lift',
    dir,
    argument: { holder: 'operator' },
  });
  expect(lifted).toMatchObject({ lifted: false, why: 'EMFILE' });
  const armed = await starved<ArmResult>({ operation: 'arm', dir, argument: { holder: 'me' } });
  expect(armed).toMatchObject({ armed: false, why: 'EMFILE', engaged: true });
  expect(textOf(dir)).toBe(before);
});

test('what has expired is held for it, since it cannot read so, and nothing is said to be armed', async () => {
  const dir = scopeDir();
  writeSentinel(dir, EXPIRED);
  const armed = await starved<ArmResult>({ operation: 'arm', dir });
  expect(armed).toMatchObject({ armed: false, why: 'EMFILE', engaged: true });
  expect(await starved({ operation: 'check', dir })).toMatchObject({ unreadable: 'EMFILE' });
});

test('with one descriptor left, a clock that is ahead ends no hold of this boot, then or later', async () => {
  const dir = scopeDir();
  const uptime = disk.uptime();
  const [wall, boot] = [Date.now() - 2 * 3_600_000, uptime?.boot];
  // Set two hours ago for an hour, by a clock that was set forward a moment later.
  const clock = { boot, uptime_ms: uptime?.ms, wall_ms: wall };
  const expires_at = new Date(wall + 3_600_000).toISOString();
  writeSentinel(dir, { expires_at, holds: [{ id: 'L', holder: 'other', expires_at, clock }] });
  const answers = await starved({ operation: 'check-twice', dir, left: 1 });
  expect(answers).toMatchObject([{ engaged: true }, { engaged: true, holds: [{ id: 'L' }] }]);
});
