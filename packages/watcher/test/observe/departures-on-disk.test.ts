/**
 * Lifted or cleared: the events when a hold disappears from a real disk.
 */
import { rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendJournal, arm, lift } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import {
  disk,
  failingDisk,
  laneFree,
  laneHeld,
  makeRoot,
  reasonIn,
  watched,
} from '../support/watched.ts';

const actor = { user: 'someone', host: 'h', pid: 1, via: 'fleet resume' };

function held(graceMs: number) {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  arm(disk, home, { reason: 'x' });
  return { home, ...watched(root, { graceMs }) };
}

test('a lift that is in the journal is a lift, with who did it', async () => {
  const { root, home, untilEvent, until, events } = held(10_000);
  const lifted = lift(disk, home, { everyone: true });
  await until(laneFree('lane-a'));
  expect(events.map(({ type }) => type)).not.toContain('hold.lifted');
  const holds = lifted.lifted ? lifted.holds : [];
  appendJournal(root, { event: 'lift', scope: home, holds, generation: null, actor });
  expect(await untilEvent('hold.lifted')).toMatchObject({ data: { actor, hold: { reason: 'x' } } });
  expect(events.map(({ type }) => type)).not.toContain('hold.cleared-externally');
});

test('an rm behind our back is said to be one, and the profile runs before that', async () => {
  const { home, untilEvent, events } = held(50);
  unlinkSync(join(home, 'ESTOP'));
  await untilEvent('hold.cleared-externally');
  const types = events.map(({ type }) => type);
  expect(types.indexOf('profile.running')).toBeLessThan(types.indexOf('hold.cleared-externally'));
});

test('a folder that is removed with its hold clears it', async () => {
  const { home, untilEvent, events } = held(50);
  rmSync(home, { recursive: true });
  await untilEvent('hold.cleared-externally');
  expect(events.map(({ type }) => type)).toContain('profile.removed');
});

test('an editor that overwrites a hold with nothing clears it, and the profile stays held', async () => {
  const { home, untilEvent, until } = held(50);
  writeFileSync(join(home, 'ESTOP'), '');
  await untilEvent('hold.cleared-externally');
  await until(laneHeld('lane-a'));
});

test('a hold that cannot be looked at for a while was never gone', async () => {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  arm(disk, home, { reason: 'x' });
  const failing = failingDisk(home);
  const { watch, until, untilEvent, events } = watched(root, { graceMs: 20, disk: failing });
  const before = events.length;
  failing.code = 'EMFILE';
  watch.lookAgain('all');
  expect(await untilEvent('hold.unreadable')).toMatchObject({
    data: { hold: { unreadable: 'EMFILE' } },
  });
  // Longer than a lift's line is waited for.
  const failedAt = performance.now();
  await expect.poll(() => performance.now() - failedAt).toBeGreaterThan(100);
  failing.code = null;
  watch.lookAgain('all');
  await until((fleet) => reasonIn(fleet, 'lane-a') === 'x');
  unlinkSync(join(home, 'ESTOP'));
  await untilEvent('hold.cleared-externally');
  const told = events
    .slice(before)
    .map(({ type, data }) => [type, (data['hold'] as { id?: string })?.id === 'unknown']);
  expect(told).toEqual([
    ['hold.unreadable', true],
    ['profile.running', false],
    ['hold.cleared-externally', false],
  ]);
});
