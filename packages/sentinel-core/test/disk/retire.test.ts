/**
 * Removing an expired sentinel, and nothing else.
 */
import { existsSync, linkSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { check } from '../../src/disk/check.ts';
import { TENURE } from '../../src/disk/names.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { retire } from '../../src/disk/retire.ts';
import {
  EXPIRED,
  LATER,
  PASSED,
  readSentinel,
  STANDING,
  sentinelOf,
  writeSentinel,
} from '../support/bodies.ts';
import { besideSentinel, scopeDir } from '../support/scope-dir.ts';

const disk = nodeDisk();

test('an expired sentinel is removed, and its holds are named', () => {
  const dir = scopeDir();
  writeSentinel(dir, EXPIRED);
  expect(retire(disk, dir)).toMatchObject({ retired: true, holds: [{ id: 'X', holder: 'me' }] });
  expect(existsSync(sentinelOf(dir))).toBe(false);
  expect(besideSentinel(dir)).toEqual([]);
});

test('a second retirement finds nothing to do', () => {
  const dir = scopeDir();
  writeSentinel(dir, EXPIRED);
  retire(disk, dir);
  expect(retire(disk, dir)).toEqual({ retired: false, why: 'absent' });
});

test('an older tool’s body is retired when its deadline has passed', () => {
  const dir = scopeDir();
  writeSentinel(dir, { reason: 'r', expires_at: PASSED });
  expect(retire(disk, dir)).toMatchObject({ retired: true, holds: [{ holder: null }] });
});

test.each([
  ['a standing hold', STANDING],
  ['one standing hold among expired ones', { ...EXPIRED, holds: [...EXPIRED.holds, { id: 'S' }] }],
  ['a top level that stands over expired holds', { ...EXPIRED, expires_at: LATER }],
  ['expired holds under a top level without a deadline', { holds: EXPIRED.holds }],
  ['an empty file', ''],
  ['a body that cannot be read', '{"expires_at":'],
  ['a deadline that cannot be read', { expires_at: 'yesterday' }],
  ['a deadline that is a number', { expires_at: 5 }],
])('%s is never retired', (_what, body) => {
  const dir = scopeDir();
  writeSentinel(dir, body);
  const { ino, mtimeMs } = statSync(sentinelOf(dir));
  expect(retire(disk, dir)).toEqual({ retired: false, why: 'active' });
  expect(statSync(sentinelOf(dir))).toMatchObject({ ino, mtimeMs });
  expect(check(disk, dir).engaged).toBe(true);
  expect(besideSentinel(dir)).toEqual([]);
});

test('it waits for nobody: where a living owner has the tenure it says busy', () => {
  const dir = scopeDir();
  writeSentinel(dir, EXPIRED);
  mkdirSync(join(dir, TENURE, disk.token()), { recursive: true });
  expect(retire(disk, dir)).toEqual({ retired: false, why: 'busy' });
  expect(readSentinel(dir)).toEqual(EXPIRED);
  expect(besideSentinel(dir)).toEqual([TENURE]);
});

/** `act` happens right before the sentinel is renamed away. */
function interrupted(dir: string, act: () => void) {
  let due = true;
  return {
    ...disk,
    rename(from: string, to: string) {
      if (due && from === sentinelOf(dir)) {
        due = false;
        act();
      }
      disk.rename(from, to);
    },
  };
}

test('a successor armed between the look and the removal is given back, the very same file', () => {
  const dir = scopeDir();
  writeSentinel(dir, EXPIRED);
  const beside = join(dir, 'beside');
  writeFileSync(beside, JSON.stringify(STANDING));
  const { ino } = statSync(beside);
  const port = interrupted(dir, () => renameSync(beside, sentinelOf(dir)));
  expect(retire(port, dir)).toEqual({ retired: false, why: 'superseded' });
  expect(statSync(sentinelOf(dir)).ino).toBe(ino);
  expect(readSentinel(dir)).toEqual(STANDING);
  expect(besideSentinel(dir)).toEqual([]);
});

test('a successor of a successor is not overwritten by what is given back: both stand', () => {
  const dir = scopeDir();
  writeSentinel(dir, EXPIRED);
  const second = { ...STANDING, generation: 'S', holds: [{ id: 'S', holder: 'second' }] };
  const port = interrupted(dir, () => writeSentinel(dir, STANDING));
  const rename = port.rename;
  port.rename = (from, to) => {
    rename(from, to);
    if (from === sentinelOf(dir)) writeSentinel(dir, second);
  };
  expect(retire(port, dir)).toEqual({ retired: false, why: 'superseded' });
  expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ id: 'S' }, { id: 'K' }] });
  expect(besideSentinel(dir)).toEqual([]);
});

test('a successor that comes before the tenure is seen under it, and not even moved', () => {
  const dir = scopeDir();
  writeSentinel(dir, EXPIRED);
  let moves = 0;
  const port = {
    ...disk,
    mkdir(path: string) {
      writeSentinel(dir, STANDING);
      disk.mkdir(path);
    },
    rename(from: string, to: string) {
      if (from === sentinelOf(dir)) moves += 1;
      disk.rename(from, to);
    },
  };
  expect(retire(port, dir)).toEqual({ retired: false, why: 'superseded' });
  expect(moves).toBe(0);
  expect(readSentinel(dir)).toEqual(STANDING);
});

test('a backup with the same inode keeps its bytes', () => {
  const dir = scopeDir();
  writeSentinel(dir, EXPIRED);
  linkSync(sentinelOf(dir), join(dir, 'backup'));
  expect(retire(disk, dir)).toMatchObject({ retired: true });
  expect(statSync(join(dir, 'backup')).size).toBe(JSON.stringify(EXPIRED).length);
});
