/** Engagements: which pauses count as the same one. */
import {
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { arm, formatInstant, lift } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { disk, hold, homeOf, liftAll, makeRoot } from '../support/fleets.ts';
import { opened, refusedBy } from './opened.ts';

function servedProfile() {
  const root = makeRoot('a', 'b');
  const home = homeOf(root, 'a');
  const gate = opened(home, { link: false });
  return { root, home, gate, name: () => refusedBy(gate).engagement };
}

const inMs = (ms: number): string => formatInstant(Date.now() + ms);

test('is the same while the same holds stand, for every door and in every process', () => {
  const { root, home, gate, name } = servedProfile();
  hold(home, 'one');
  hold(root, 'two');
  const first = name();
  expect(refusedBy(gate, { door: 'cron', principal: 'ops' }).engagement).toBe(first);
  expect(refusedBy(opened(home, { link: false })).engagement).toBe(first);
  expect(first).toMatch(/^[\w-]{22}$/);
});

test('is another after a lift and a new pause, for the same reason or none', () => {
  const { home, name } = servedProfile();
  const seen = new Set<string>();
  for (let times = 0; times < 3; times++) {
    hold(home, 'again');
    seen.add(name());
    liftAll(home);
  }
  expect(seen.size).toBe(3);
});

test('is another when a hold comes, goes, or is placed again with another deadline', () => {
  const { root, home, name } = servedProfile();
  const seen = [];
  hold(home, 'one', { expiresAt: inMs(60_000) });
  seen.push(name());
  hold(root, 'two');
  seen.push(name());
  liftAll(root);
  seen.push(name());
  hold(home, 'one', { expiresAt: inMs(120_000) });
  seen.push(name());
  expect(new Set(seen).size).toBe(3);
  expect(seen[2]).toBe(seen[0]);
});

test('is not another because the body was written again around the same holds', () => {
  const { home, name, gate } = servedProfile();
  arm(disk, home, { holder: 'ops', allow: { userIds: ['x'] } });
  const first = name();
  arm(disk, home, { holder: 'ci' });
  expect(name()).not.toBe(first);
  lift(disk, home, { holder: 'ci' });
  expect(name()).toBe(first);
  expect(gate.ask({ door: 'turn', principal: 'x' }).admitted).toBe(true);
});

test('is not another because the same holds stand in another order', () => {
  const { home, name } = servedProfile();
  const holds = ['h1', 'h2', 'h3'].map((id) => ({ id, holder: id }));
  const file = join(home, 'ESTOP');
  writeFileSync(file, JSON.stringify({ generation: 'G1', holds }));
  const first = name();
  writeFileSync(file, JSON.stringify({ generation: 'G2', holds: holds.toReversed() }));
  expect(name()).toBe(first);
});

test('of an empty file lasts as long as the file, and another `touch` is another', () => {
  const { home, name } = servedProfile();
  const file = join(home, 'ESTOP');
  const seen = new Set<string>();
  for (let times = 0; times < 3; times++) {
    writeFileSync(file, '');
    // The file system's clock is coarse: two files within one tick look the same.
    const first = name();
    expect(name()).toBe(first);
    seen.add(first);
    rmSync(file);
    waitForAnotherTick(home);
  }
  expect(seen.size).toBe(3);
});

test('of what cannot be read is one, and ends with it', () => {
  const { home, name } = servedProfile();
  const file = join(home, 'ESTOP');
  mkdirSync(file);
  const folder = name();
  expect(name()).toBe(folder);
  rmSync(file, { recursive: true });
  writeFileSync(file, '{"torn');
  expect(name()).not.toBe(folder);
});

test('of a folder that cannot be looked into lasts until it could be, in each scope by itself', () => {
  const { root, home, gate, name } = servedProfile();
  const spoil = (dir: string) => {
    renameSync(dir, `${dir}-aside`);
    symlinkSync(dir, dir);
  };
  const repair = (dir: string) => {
    rmSync(dir);
    renameSync(`${dir}-aside`, dir);
  };
  mkdirSync(join(root, 'cluster'));
  const both = opened(home, { link: false });
  const cluster = join(root, 'cluster');
  spoil(cluster);
  const first = name();
  expect(first).toMatch(/^[\w-]{22}$/);
  spoil(home);
  const two = name();
  expect(refusedBy(gate, { door: 'cron', principal: 'ops' }).engagement).toBe(two);
  expect(refusedBy(both).holds).toHaveLength(2);
  repair(home);
  // The other outage has lasted all the time.
  expect(name()).toBe(first);
  spoil(home);
  const again = name();
  expect(again).not.toBe(two);
  repair(home);
  repair(cluster);
  expect(gate.ask({ door: 'turn' }).admitted).toBe(true);
  spoil(cluster);
  expect([first, two, again]).not.toContain(name());
  repair(cluster);
});

test('differs between two profiles with an empty file each', () => {
  const { root, home } = servedProfile();
  writeFileSync(join(home, 'ESTOP'), '');
  writeFileSync(join(homeOf(root, 'b'), 'ESTOP'), '');
  const gate = opened([home, homeOf(root, 'b')], { link: false });
  const names = ['a', 'b'].map((profile) => refusedBy(gate, { profile }).engagement);
  expect(new Set(names).size).toBe(2);
});

/** Waits until a new file gets another change time, whatever its inode is. */
function waitForAnotherTick(home: string): void {
  const probe = join(home, 'probe');
  writeFileSync(probe, '');
  const made = ctimeOf(probe);
  while (ctimeOf(probe) === made) utimesSync(probe, 1, 1);
  rmSync(probe);
}

const ctimeOf = (path: string): bigint => lstatSync(path, { bigint: true }).ctimeNs;
