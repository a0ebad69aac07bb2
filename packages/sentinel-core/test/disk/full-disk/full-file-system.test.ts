/**
 * File systems in memory without a free block, or without a free inode.
 * Disks that fill up in the middle of an operation are `failing-calls.test.ts`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { arm } from '../../../src/disk/arm.ts';
import { check } from '../../../src/disk/check.ts';
import { lift } from '../../../src/disk/lift.ts';
import { claimName, TENURE } from '../../../src/disk/names.ts';
import { nodeDisk } from '../../../src/disk/node-disk.ts';
import { recover } from '../../../src/disk/recover.ts';
import { retire } from '../../../src/disk/retire.ts';
import { appendJournal } from '../../../src/files/journal.ts';
import {
  type BodyJson,
  EXPIRED,
  KEEPERS,
  readSentinel,
  STANDING,
  sentinelOf,
  writeSentinel,
} from '../../support/bodies.ts';
import { mountsMissing, mountTmpfs } from '../../support/mounts.ts';
import { needs } from '../../support/needs.ts';
import { ofDeadProcess } from '../../support/ports.ts';
import { scopeDir } from '../../support/scope-dir.ts';

needs(mountsMissing);
const disk = nodeDisk();
const FREE = { engaged: false, expired: false };
const BOTH: BodyJson = { ...STANDING, holds: [KEEPERS, { ...KEEPERS, id: 'M', holder: 'me' }] };

type Resource = 'blocks' | 'inodes';

/** A file system of its own that is full once `prepare` has put there what is to be there. */
function fullScope(of: Resource, prepare: (dir: string) => void): string {
  const dir = scopeDir();
  mountTmpfs(dir, 'size=64k,nr_inodes=40,mode=755');
  prepare(dir);
  try {
    if (of === 'blocks') writeFileSync(join(dir, 'fill'), 'x'.repeat(1 << 20));
    else for (let i = 0; ; i++) writeFileSync(join(dir, `fill${i}`), '');
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
    return dir;
  }
  throw new Error('it is not full');
}

const ours = (dir: string): string[] => readdirSync(dir).filter((name) => !/^fill/.test(name));

describe.each(['blocks', 'inodes'] as const)('without free %s', (resource) => {
  const scopeOf = (body: BodyJson | null): string =>
    fullScope(resource, (dir) => {
      if (body !== null) writeSentinel(dir, body);
    });

  test('an arm over an expired sentinel makes it an empty one, which holds, and says so', () => {
    const dir = scopeOf(EXPIRED);
    expect(arm(disk, dir, { holder: 'me', allow: { userIds: ['u'] } })).toMatchObject({
      armed: true,
      degraded: 'empty',
      why: 'ENOSPC',
      hold: { holder: null, allow: null, expiresAtMs: null },
    });
    expect(check(disk, dir)).toMatchObject({ engaged: true, unreadable: 'empty' });
    expect(ours(dir)).toEqual(['ESTOP']);
  });

  test.each(['me', 'keeper'])(
    'an arm by %s over a standing hold is refused: the hold stands',
    (holder) => {
      const dir = scopeOf(STANDING);
      expect(arm(disk, dir, { holder })).toMatchObject({
        armed: false,
        why: 'ENOSPC',
        engaged: true,
        holds: [{ id: 'K' }],
      });
      expect(readSentinel(dir)).toEqual(STANDING);
      expect(ours(dir)).toEqual(['ESTOP']);
    },
  );

  test('one of several holds is not lifted, and both are named', () => {
    const dir = scopeOf(BOTH);
    expect(lift(disk, dir, { holder: 'me' })).toMatchObject({ lifted: false, why: 'ENOSPC' });
    expect(readSentinel(dir)).toEqual(BOTH);
    expect(ours(dir)).toEqual(['ESTOP']);
  });

  test('`rm` lifts', () => {
    const dir = scopeOf(STANDING);
    execFileSync('rm', [sentinelOf(dir)]);
    expect(check(disk, dir)).toEqual(FREE);
  });

  test('a journal line is said to be unwritten', () => {
    const dir = scopeOf(null);
    const actor = { user: 'u', host: 'h', pid: 1, via: 'test' };
    const entry = { event: 'arm', scope: dir, holds: [], generation: null, actor } as const;
    expect(appendJournal(dir, entry)).toEqual({ written: false, why: 'ENOSPC' });
  });

  test('a live hold that a dead owner had taken out goes on holding, and an arm says so', () => {
    const token = ofDeadProcess(disk).token();
    const dir = fullScope(resource, (scope) => {
      writeSentinel(scope, STANDING);
      mkdirSync(join(scope, TENURE, token), { recursive: true });
      renameSync(sentinelOf(scope), join(scope, TENURE, token, claimName(token)));
    });
    expect(check(disk, dir)).toMatchObject({ engaged: true, aside: true, holds: [{ id: 'K' }] });
    expect(arm(disk, dir, { holder: 'me' })).toMatchObject({
      armed: false,
      why: 'ENOSPC',
      engaged: true,
    });
    expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ id: 'K' }] });
    // It is put right as soon as there is room.
    for (const name of readdirSync(dir)) if (/^fill/.test(name)) rmSync(join(dir, name));
    expect(recover(disk, dir, { force: true })).toMatchObject({ settled: true });
    expect(readSentinel(dir)).toEqual(STANDING);
    expect(ours(dir)).toEqual(['ESTOP']);
  });
});

describe('without free blocks', () => {
  test('an arm over nothing leaves an empty sentinel: stricter than asked, and said so', () => {
    const dir = fullScope('blocks', () => {});
    expect(arm(disk, dir, { holder: 'me', allow: { userIds: ['u'] } })).toMatchObject({
      armed: true,
      degraded: 'empty',
      why: 'ENOSPC',
      hold: { holder: null, allow: null, expiresAtMs: null },
    });
    expect(check(disk, dir)).toMatchObject({ engaged: true, unreadable: 'empty' });
    expect(ours(dir)).toEqual(['ESTOP']);
  });

  test('the last hold is lifted, and an expired sentinel retired', () => {
    const standing = fullScope('blocks', (dir) => writeSentinel(dir, STANDING));
    expect(lift(disk, standing, { holder: 'keeper' })).toMatchObject({ lifted: true });
    expect(check(disk, standing)).toEqual(FREE);
    const expired = fullScope('blocks', (dir) => writeSentinel(dir, EXPIRED));
    expect(retire(disk, expired)).toMatchObject({ retired: true });
    expect(ours(expired)).toEqual([]);
  });
});

describe('without free inodes', () => {
  test('an arm over nothing can place nothing, and says that nothing holds', () => {
    const dir = fullScope('inodes', () => {});
    expect(arm(disk, dir, { holder: 'me' })).toMatchObject({
      armed: false,
      why: 'ENOSPC',
      engaged: false,
      holds: [],
    });
    expect(check(disk, dir)).toEqual(FREE);
    expect(ours(dir)).toEqual([]);
  });

  test.each([1, 2, 3, 4, 5, 6])('but for %i, an arm holds, as `touch` would', (free) => {
    const dir = fullScope('inodes', () => {});
    for (let i = 0; i < free; i++) rmSync(join(dir, `fill${i}`));
    expect(arm(disk, dir, { holder: 'me' })).toMatchObject({ armed: true });
    expect(check(disk, dir)).toMatchObject({ engaged: true });
    expect(ours(dir)).toEqual(['ESTOP']);
  });

  test('a dead owner’s empty tenure is cleared away, and does not stop an arm', () => {
    const token = ofDeadProcess(disk).token();
    const dir = fullScope('inodes', (scope) => {
      mkdirSync(join(scope, TENURE, token), { recursive: true });
    });
    expect(arm(disk, dir, { holder: 'me' })).toMatchObject({ armed: true });
    expect(check(disk, dir)).toMatchObject({ engaged: true });
    expect(ours(dir)).toEqual(['ESTOP']);
  });

  test('the last hold cannot be lifted and an expired sentinel not be retired, and both say so', () => {
    const standing = fullScope('inodes', (dir) => writeSentinel(dir, STANDING));
    expect(lift(disk, standing, { everyone: true })).toMatchObject({
      lifted: false,
      why: 'ENOSPC',
    });
    expect(readSentinel(standing)).toEqual(STANDING);
    const expired = fullScope('inodes', (dir) => writeSentinel(dir, EXPIRED));
    expect(retire(disk, expired)).toEqual({ retired: false, why: 'ENOSPC' });
    expect(readSentinel(expired)).toEqual(EXPIRED);
  });
});
