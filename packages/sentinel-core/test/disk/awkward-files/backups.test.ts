/**
 * A sentinel with a second name, such as a backup by `cp -al`: whatever is done to the sentinel, the
 * bytes under the other name never change.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { arm } from '../../../src/disk/arm.ts';
import { check } from '../../../src/disk/check.ts';
import { lift } from '../../../src/disk/lift.ts';
import { nodeDisk } from '../../../src/disk/node-disk.ts';
import { recover } from '../../../src/disk/recover.ts';
import { retire } from '../../../src/disk/retire.ts';
import {
  type BodyJson,
  EXPIRED,
  holdsOf,
  KEEPERS,
  readSentinel,
  STANDING,
  sentinelOf,
  writeSentinel,
} from '../../support/bodies.ts';
import { fullFrom, withoutLinks } from '../../support/ports.ts';
import { besideSentinel, scopeInMemory } from '../../support/scope-dir.ts';

const disk = nodeDisk();

const TWO: BodyJson = { ...STANDING, holds: [KEEPERS, { ...KEEPERS, id: 'M', holder: 'me' }] };
const BODIES = [
  ['a standing hold', JSON.stringify(STANDING)],
  ['two standing holds', JSON.stringify(TWO)],
  ['an expired one', JSON.stringify(EXPIRED)],
  ['no text at all', ''],
  ['torn text', '{"re'],
] as const;

/** A scope with this sentinel, and a backup of it that shares its inode. */
function backedUp(text: string): { dir: string; unchanged: () => void } {
  const dir = scopeInMemory();
  writeSentinel(dir, text);
  const backup = join(scopeInMemory(), 'backup');
  execFileSync('cp', ['-al', sentinelOf(dir), backup]);
  const { ino, mtimeMs, mode } = statSync(backup);
  expect(ino).toBe(statSync(sentinelOf(dir)).ino);
  return {
    dir,
    unchanged() {
      expect(readFileSync(backup, 'utf8')).toBe(text);
      expect(statSync(backup)).toMatchObject({ ino, mtimeMs, mode });
    },
  };
}

describe.each([
  ['where hard links work', disk],
  ['where further hard links are refused', withoutLinks(disk)],
])('%s', (_where, port) => {
  test.each(BODIES)('a backup of %s is left alone by every operation', (_what, text) => {
    const operations = {
      arm: (dir: string) => arm(port, dir, { holder: 'other', reason: 'r' }),
      're-arm': (dir: string) => arm(port, dir, { holder: 'me', reason: 'r' }),
      'lift one': (dir: string) => lift(port, dir, { holder: 'me' }),
      'lift all': (dir: string) => lift(port, dir, { everyone: true }),
      retire: (dir: string) => retire(port, dir),
      recover: (dir: string) => recover(port, dir, { force: true }),
    };
    for (const operate of Object.values(operations)) {
      const { dir, unchanged } = backedUp(text);
      operate(dir);
      unchanged();
      // And whatever followed.
      for (const next of Object.values(operations)) next(dir);
      unchanged();
      expect(besideSentinel(dir)).toEqual([]);
    }
  });
});

test('the sentinel is replaced, not written: it is another file afterwards', () => {
  const { dir } = backedUp(JSON.stringify(STANDING));
  const { ino } = statSync(sentinelOf(dir));
  arm(disk, dir, { holder: 'me' });
  expect(statSync(sentinelOf(dir)).ino).not.toBe(ino);
  expect(holdsOf(dir)).toHaveLength(2);
});

test('a backup inside the scope itself is no obstacle', () => {
  const dir = scopeInMemory();
  writeSentinel(dir, STANDING);
  linkSync(sentinelOf(dir), join(dir, 'ESTOP.bak'));
  expect(arm(disk, dir, { holder: 'me' })).toMatchObject({ armed: true });
  expect(lift(disk, dir, { everyone: true })).toMatchObject({ lifted: true });
  expect(JSON.parse(readFileSync(join(dir, 'ESTOP.bak'), 'utf8'))).toEqual(STANDING);
  expect(existsSync(sentinelOf(dir))).toBe(false);
});

test('a backup that is linked back holds again, by the very holds it had', () => {
  const dir = scopeInMemory();
  writeSentinel(dir, STANDING);
  linkSync(sentinelOf(dir), join(dir, 'ESTOP.bak'));
  lift(disk, dir, { everyone: true });
  linkSync(join(dir, 'ESTOP.bak'), sentinelOf(dir));
  expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ id: 'K' }] });
  expect(readSentinel(dir)).toEqual(STANDING);
});

test.each(BODIES)('also on a full disk a backup of %s keeps its bytes', (_what, text) => {
  for (let nth = 1; ; nth++) {
    const { dir, unchanged } = backedUp(text);
    const full = fullFrom(disk, nth);
    const armed = arm(full.disk, dir, { holder: 'other' });
    unchanged();
    // Held, or said not to be.
    expect(check(disk, dir).engaged).toBe(armed.armed || armed.engaged);
    if (!full.failed()) return;
  }
});
