/**
 * Changes by other tools are journaled once; changes by fleet commands only as such.
 */
import { mkdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendJournal, arm, type Hold, lift, readJournal } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { disk, makeRoot, reasonIn, watched } from '../support/watched.ts';

const GRACE_MS = 200;
const actor = { user: 'someone', host: 'h', pid: 1, via: 'fleet pause' };

const recordsOf = (root: string) =>
  [...readJournal(root)].flatMap((line) => (line.kind === 'record' ? [line.record] : []));
const journalOf = (root: string) =>
  recordsOf(root).map(({ event, holds }) => [event, holds[0]?.reason]);

function begun() {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  mkdirSync(join(root, '.fleet'), { recursive: true });
  const journal = () => journalOf(root);
  const record = (event: 'arm' | 'lift', holds: readonly Hold[]) =>
    appendJournal(root, { event, scope: home, holds, generation: null, actor });
  const place = (reason: string) => {
    const placed = arm(disk, home, { reason });
    if (placed.armed) record('arm', [placed.hold]);
  };
  return { home, journal, record, place, ...watched(root, { graceMs: GRACE_MS }) };
}

/** As the other implementation pauses: over whatever stands there, in place. */
const engage = (home: string, reason: string) =>
  writeFileSync(join(home, 'ESTOP'), JSON.stringify({ generation: reason, reason }));

test('a pause by another tool, and its end, stand in the journal', async () => {
  const { home, journal } = begun();
  engage(home, 'theirs');
  await expect.poll(journal).toEqual([['foreign-arm', 'theirs']]);
  unlinkSync(join(home, 'ESTOP'));
  await expect.poll(journal).toEqual([
    ['foreign-arm', 'theirs'],
    ['foreign-lift', 'theirs'],
  ]);
});

test('a pause by another tool that replaces our hold is recorded as both', async () => {
  const { home, journal, place, until } = begun();
  place('ours');
  // What comes and goes between two looks was never seen.
  await until((fleet) => reasonIn(fleet, 'lane-a') === 'ours');
  engage(home, 'theirs');
  await expect.poll(journal).toHaveLength(3);
  expect(journal().sort()).toEqual([
    ['arm', 'ours'],
    ['foreign-arm', 'theirs'],
    ['foreign-lift', 'ours'],
  ]);
});

test('a touch and an rm are recorded, by the watcher that saw them', async () => {
  const { home, root, journal } = begun();
  writeFileSync(join(home, 'ESTOP'), '');
  await expect.poll(journal).toEqual([['foreign-arm', null]]);
  rmSync(join(home, 'ESTOP'));
  await expect.poll(journal).toHaveLength(2);
  const [first] = recordsOf(root);
  expect(first).toMatchObject({
    profile: 'lane-a',
    scope: home,
    actor: { via: expect.any(String) },
  });
});

test('what a fleet command journals is not recorded again, not even late', async () => {
  const { home, journal, record, place, untilQuiet } = begun();
  place('first');
  const lifted = lift(disk, home, { everyone: true });
  await untilQuiet();
  if (lifted.lifted) record('lift', lifted.holds);
  // The hold of another tool comes last, so that whatever was to be said before has been said.
  engage(home, 'theirs');
  await expect.poll(journal).toContainEqual(['foreign-arm', 'theirs']);
  expect(journal()).toEqual([
    ['arm', 'first'],
    ['lift', 'first'],
    ['foreign-arm', 'theirs'],
  ]);
});

test('a hold of another tool that ours is placed beside came once, and is not gone', async () => {
  const { home, journal, place } = begun();
  engage(home, 'theirs');
  await expect.poll(journal).toEqual([['foreign-arm', 'theirs']]);
  place('ours');
  const other = join(home, '../../ESTOP');
  writeFileSync(other, JSON.stringify({ reason: 'last' }));
  await expect.poll(journal).toContainEqual(['foreign-arm', 'last']);
  expect(journal()).toEqual([
    ['foreign-arm', 'theirs'],
    ['arm', 'ours'],
    ['foreign-arm', 'last'],
  ]);
});

test('a hold that was out of sight for a moment, and back, was not placed again', async () => {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  mkdirSync(join(root, '.fleet'), { recursive: true });
  arm(disk, home, { reason: 'before the watch' });
  const text = disk.open(join(home, 'ESTOP'), 'r');
  const body = disk.read(text);
  disk.close(text);
  const { until } = watched(root, { graceMs: GRACE_MS });
  unlinkSync(join(home, 'ESTOP'));
  await until((fleet) => fleet.profiles.every(({ engaged }) => !engaged));
  writeFileSync(join(home, 'ESTOP'), body);
  await until((fleet) => fleet.profiles.some(({ engaged }) => engaged));
  engage(root, 'last');
  await expect.poll(() => journalOf(root)).toEqual([['foreign-arm', 'last']]);
});

test('a hold whose deadline passes while another stands has its end in the journal', async () => {
  const { home, journal } = begun();
  const soon = new Date(Date.now() + 1_500).toISOString().replace('Z', '+00:00');
  const placed = arm(disk, home, { holder: 'anna', reason: 'short', expiresAt: soon });
  arm(disk, home, { holder: 'bert', reason: 'long' });
  expect(placed.armed).toBe(true);
  await expect
    .poll(() => journal().filter(([event]) => event === 'expire'))
    .toEqual([['expire', 'short']]);
});

test('what another tool placed while no watcher ran has its beginning as soon as one runs', async () => {
  const root = makeRoot('lane-a', 'lane-b', 'lane-c');
  mkdirSync(join(root, '.fleet'), { recursive: true });
  const homeOf = (name: string) => join(root, 'profiles', name);
  const early = arm(disk, homeOf('lane-a'), { reason: 'its line may have been dropped' });
  const told = arm(disk, root, { reason: 'told' });
  if (!early.armed || !told.armed) throw new Error('not armed');
  appendJournal(root, { event: 'arm', scope: root, holds: [told.hold], generation: null, actor });
  writeFileSync(join(homeOf('lane-b'), 'ESTOP'), '');
  const engaged_at = new Date(Date.now() + 1).toISOString();
  const theirs = JSON.stringify({ generation: 'g', reason: 'theirs', engaged_at });
  writeFileSync(join(homeOf('lane-c'), 'ESTOP'), theirs);
  watched(root, { graceMs: GRACE_MS });
  await expect.poll(() => journalOf(root)).toHaveLength(3);
  expect(journalOf(root)).toEqual([
    ['arm', 'told'],
    ['foreign-arm', null],
    ['foreign-arm', 'theirs'],
  ]);
});

test('what was removed while no watcher ran has its end as soon as one runs', async () => {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  mkdirSync(join(root, '.fleet'), { recursive: true });
  for (const reason of ['removed', 'stands']) {
    const dir = reason === 'stands' ? root : home;
    const placed = arm(disk, dir, { reason });
    if (!placed.armed) throw new Error('not armed');
    const holds = [placed.hold];
    appendJournal(root, { event: 'arm', scope: dir, holds, generation: null, actor });
  }
  unlinkSync(join(home, 'ESTOP'));
  watched(root, { graceMs: GRACE_MS });
  await expect
    .poll(() => journalOf(root))
    .toEqual([
      ['arm', 'removed'],
      ['arm', 'stands'],
      ['foreign-lift', 'removed'],
    ]);
});
