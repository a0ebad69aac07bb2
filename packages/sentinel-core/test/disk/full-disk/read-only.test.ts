/**
 * File systems that are mounted read-only: what stands there goes on standing, also when its
 * deadline has passed, and every change is refused in so many words.
 */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { arm } from '../../../src/disk/arm.ts';
import { check } from '../../../src/disk/check.ts';
import { lift } from '../../../src/disk/lift.ts';
import { TENURE } from '../../../src/disk/names.ts';
import { nodeDisk } from '../../../src/disk/node-disk.ts';
import { recover } from '../../../src/disk/recover.ts';
import { retire } from '../../../src/disk/retire.ts';
import { appendJournal } from '../../../src/files/journal.ts';
import {
  type BodyJson,
  EXPIRED,
  readSentinel,
  STANDING,
  writeSentinel,
} from '../../support/bodies.ts';
import { makeReadOnly, mountBind, mountsMissing, mountTmpfs } from '../../support/mounts.ts';
import { needs } from '../../support/needs.ts';
import { besideSentinel, scopeDir } from '../../support/scope-dir.ts';

needs(mountsMissing);
const disk = nodeDisk();
const FREE = { engaged: false, expired: false };

describe.each([
  ['a read-only bind mount', (dir: string) => mountBind(scopeDir(), dir)],
  ['a read-only file system in memory', (dir: string) => mountTmpfs(dir, 'size=64k')],
])('on %s', (_what, mount) => {
  function readOnly(body: BodyJson | null): string {
    const dir = scopeDir();
    mount(dir);
    if (body !== null) writeSentinel(dir, body);
    makeReadOnly(dir);
    expect(() => writeFileSync(`${dir}/probe`, '')).toThrow(/EROFS/);
    return dir;
  }

  test('nothing is free, and cannot be armed: the answer says that nothing holds', () => {
    const dir = readOnly(null);
    expect(check(disk, dir)).toEqual(FREE);
    expect(arm(disk, dir, { holder: 'me' })).toMatchObject({
      armed: false,
      why: 'EROFS',
      engaged: false,
    });
    expect(lift(disk, dir, { everyone: true })).toMatchObject({ lifted: false });
    expect(recover(disk, dir, { force: true })).toEqual({ settled: true, swept: [] });
  });

  test('a standing hold can be neither armed beside, replaced nor lifted', () => {
    const dir = readOnly(STANDING);
    for (const holder of ['me', 'keeper']) {
      expect(arm(disk, dir, { holder })).toMatchObject({
        armed: false,
        why: 'EROFS',
        engaged: true,
        holds: [{ id: 'K' }],
      });
    }
    expect(lift(disk, dir, { holder: 'keeper' })).toMatchObject({ lifted: false, why: 'EROFS' });
    expect(lift(disk, dir, { everyone: true })).toMatchObject({ lifted: false, why: 'EROFS' });
    expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ id: 'K' }] });
    expect(readSentinel(dir)).toEqual(STANDING);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('an expired sentinel cannot be retired, so it is held, overdue', () => {
    const dir = readOnly(EXPIRED);
    expect(check(disk, dir)).toMatchObject({
      engaged: true,
      overdue: true,
      holds: [{ id: 'X' }],
      generation: 'E',
    });
    expect(retire(disk, dir)).toEqual({ retired: false, why: 'EROFS' });
    expect(lift(disk, dir, { everyone: true })).toMatchObject({ lifted: false, why: 'EROFS' });
  });

  test('an arm over an overdue sentinel agrees with the gate on whether the scope is held', () => {
    const dir = readOnly(EXPIRED);
    const armed = arm(disk, dir, { holder: 'me' });
    expect(armed).toMatchObject({ armed: false, why: 'EROFS' });
    expect(armed.armed || armed.engaged).toBe(check(disk, dir).engaged);
  });

  test('a journal line is said to be unwritten', () => {
    const dir = readOnly(null);
    const actor = { user: 'u', host: 'h', pid: 1, via: 'test' };
    const entry = { event: 'arm', scope: dir, holds: [], generation: null, actor } as const;
    expect(appendJournal(dir, entry)).toEqual({ written: false, why: 'EROFS' });
    expect(besideSentinel(dir)).not.toContain(TENURE);
  });
});
