/** Work of other containers and other machines, whose fate is unknown here. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { here } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { readRegister } from '../../src/in-flight/read-register.ts';
import {
  claimOf,
  entriesOf,
  fatesIn,
  folderOf,
  LEASE_MS,
  leave,
  makeHome,
  opened,
  turn,
} from './support/homes.ts';

const elsewhere = { pids: 'pid:[1]' };
const soon = () => Date.now() + LEASE_MS / 2;
const later = () => Date.now() + 3 * LEASE_MS;

test('within its owner’s lease it runs, and its owner answers for it', () => {
  const home = makeHome();
  leave(home, 's1', elsewhere);
  const register = opened(home, { now: soon });
  expect(register.list().work).toMatchObject([{ id: 's1', fate: 'running', instance: 'other' }]);
  expect(register.begin(turn('s1'))).toBeNull();
  expect(register.count()).toBe(0);
});

test('of a silent owner it is unproven: it still stands, and is counted here', () => {
  const home = makeHome();
  leave(home, 's1', elsewhere);
  const register = opened(home, { now: later });
  expect(register.list().work).toMatchObject([{ id: 's1', fate: 'unproven' }]);
  expect(register.begin(turn('s1'))).toBeNull();
  expect(register.found).toEqual({ cutOff: [], adopted: [] });
  expect(register.count()).toBe(1);
});

test('an owner that has been silent for hours stays as long as it has a claim', () => {
  const home = makeHome();
  const owner = leave(home, 's1', elsewhere);
  const now = () => Date.now() + 5 * 3_600_000;
  opened(home, { now });
  expect(readdirSync(join(folderOf(home), 'owners'))).toEqual([owner]);
  rmSync(claimOf(home, 's1'), { recursive: true });
  opened(home, { now });
  expect(readdirSync(join(folderOf(home), 'owners'))).toEqual([]);
});

test('a clock that was put back is no sign of life', () => {
  const home = makeHome();
  leave(home, 's1', elsewhere);
  const now = () => Date.now() - 3 * LEASE_MS;
  expect(readRegister(home, { now }).work).toMatchObject([{ fate: 'unproven' }]);
});

test.each([
  ['within the lease of its predecessor', soon],
  ['after it', later],
])('a gateway that is alone in its home cuts it off and begins it anew, %s', (_when, now) => {
  const home = makeHome();
  leave(home, 's1', elsewhere);
  const register = opened(home, { now, alone: true });
  expect(register.found.cutOff).toMatchObject([{ id: 's1', instance: 'other' }]);
  expect(register.count()).toBe(0);
  expect(register.begin(turn('s1'))).not.toBeNull();
  expect(register.begin(turn('s1'))).toBeNull();
});

test('one that is alone keeps its own work', () => {
  const home = makeHome();
  const register = opened(home, { alone: true });
  const claim = register.begin(turn('s1'));
  expect(register.begin(turn('s1'))).toBeNull();
  expect(register.count()).toBe(1);
  expect(claim?.end()).toBe(true);
});

test('somebody who knows better removes the entry by hand, and its folder goes by itself', () => {
  const home = makeHome();
  leave(home, 's1', elsewhere);
  const [entry = ''] = entriesOf(home, 's1');
  const earlier = opened(home, { now: later });
  rmSync(join(claimOf(home, 's1'), entry));
  expect(readRegister(home)).toEqual({ complete: true, work: [] });
  expect(earlier.begin(turn('s1'))?.end()).toBe(true);
  leave(home, 's2', elsewhere);
  rmSync(join(claimOf(home, 's2'), entriesOf(home, 's2')[0] ?? ''));
  expect(opened(home, { now: later }).count()).toBe(0);
  expect(existsSync(claimOf(home, 's2'))).toBe(false);
});

test('whoever removes an entry too late takes away nothing of the successor that has the work', () => {
  const home = makeHome();
  leave(home, 's1', elsewhere);
  const [looked = ''] = entriesOf(home, 's1');
  const successor = opened(home, { now: later, alone: true });
  const claim = successor.begin(turn('s1'));
  expect(claim?.recorded).toBe(true);
  expect(() => rmSync(join(claimOf(home, 's1'), looked))).toThrow(
    expect.objectContaining({ code: 'ENOENT' }),
  );
  expect(claim?.end()).toBe(true);
});

test('work whose owner has left no record is unproven', () => {
  const home = makeHome();
  leave(home, 's1', {});
  leave(home, 's2', {});
  rmSync(join(folderOf(home), 'owners'), { recursive: true });
  expect(fatesIn(home)).toEqual([
    ['s1', 'unproven'],
    ['s2', 'unproven'],
  ]);
  expect(opened(home).count()).toBe(2);
  const alone = opened(home, { alone: true });
  expect(alone.found.cutOff.map(({ id }) => id).sort()).toEqual(['s1', 's2']);
  expect(alone.count()).toBe(0);
});

test('a record of an owner that cannot be read is no proof, not even to one that is alone', () => {
  const home = makeHome();
  const owner = leave(home, 's1', elsewhere);
  const path = join(folderOf(home), 'owners', owner, 'owner.json');
  const make = [
    () => writeFileSync(path, '{'),
    () => symlinkSync('/dev/null', path),
    () => expect(spawnSync('mkfifo', [path]).status).toBe(0),
    () => mkdirSync(path),
  ];
  for (const put of make) {
    rmSync(path, { recursive: true });
    put();
    const register = opened(home, { now: later, alone: true });
    expect(register.found.cutOff).toEqual([]);
    expect(register.begin(turn('s1'))).toBeNull();
    expect(register.count()).toBe(1);
  }
});

test('what ran before the machine was started again is abandoned, though its text was lost', () => {
  const home = makeHome();
  // Only if this machine has an id; otherwise it is unknown.
  const isNamed = here().machine !== '';
  const owner = leave(home, 's1', { boot: 'an earlier one', pids: 'pid:[1]' }, '');
  const read = readRegister(home, { now: later });
  const fate = isNamed ? 'abandoned' : 'unproven';
  expect(read.work).toMatchObject([{ door: null, id: null, owner, pid: 4_194_303, fate }]);
  const register = opened(home, { now: later });
  expect(register.found.cutOff).toHaveLength(isNamed ? 1 : 0);
  expect(existsSync(claimOf(home, 's1'))).toBe(!isNamed);
});

test('an entry by a name that nobody understands stands for work, and is left as it is', () => {
  const home = makeHome();
  opened(home).begin(turn('s1'))?.end();
  mkdirSync(claimOf(home, 's1'));
  writeFileSync(join(claimOf(home, 's1'), 'of-a-later-version'), '');
  const register = opened(home, { alone: true });
  expect(register.list().work).toMatchObject([{ owner: null, pid: null, fate: 'unproven' }]);
  expect(register.count()).toBe(1);
  expect(register.begin(turn('s1'))).toBeNull();
  expect(entriesOf(home, 's1')).toEqual(['of-a-later-version']);
});
