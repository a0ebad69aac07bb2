/**
 * Files that others leave where an owner's tenure would be (`.DS_Store`, `.nfs…`, an editor's backup):
 * they own nothing, so they hold nothing and stand in nobody's way.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { arm } from '../../../src/disk/arm.ts';
import { check } from '../../../src/disk/check.ts';
import { lift } from '../../../src/disk/lift.ts';
import { TENURE } from '../../../src/disk/names.ts';
import { nodeDisk } from '../../../src/disk/node-disk.ts';
import { recover } from '../../../src/disk/recover.ts';
import { retire } from '../../../src/disk/retire.ts';
import { EXPIRED, STANDING, sentinelOf, writeSentinel } from '../../support/bodies.ts';
import { besideSentinel, scopeDir } from '../../support/scope-dir.ts';

const disk = nodeDisk();
const FREE = { engaged: false, expired: false };

describe.each([
  ['.DS_Store', (path: string) => writeFileSync(path, 'x')],
  ['.nfs0000a1', (path: string) => writeFileSync(path, '')],
  ['aaaaaaaa.1.b.0', (path: string) => writeFileSync(path, '')],
])('%s among the tenures', (name, make) => {
  const strayed = () => {
    const dir = scopeDir();
    mkdirSync(join(dir, TENURE));
    make(join(dir, TENURE, name));
    return dir;
  };

  test('holds nothing by itself, and hides no hold', () => {
    const dir = strayed();
    expect(check(disk, dir)).toEqual(FREE);
    writeSentinel(dir, STANDING);
    expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ id: 'K' }] });
    expect(check(disk, dir)).not.toHaveProperty('unreadable');
  });

  test('is in the way of no operation', () => {
    const dir = strayed();
    expect(arm(disk, dir, { holder: 'me' })).toMatchObject({ armed: true });
    expect(lift(disk, dir, { holder: 'me' })).toMatchObject({ lifted: true });
    expect(check(disk, dir)).toEqual(FREE);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('is no reason to wait: the first lift, retirement and recovery get their turn', () => {
    const lifted = strayed();
    writeSentinel(lifted, STANDING);
    expect(lift(disk, lifted, { everyone: true })).toMatchObject({ lifted: true });
    const retired = strayed();
    writeSentinel(retired, EXPIRED);
    retire(disk, retired);
    expect(retire(disk, retired)).toMatchObject({ retired: true });
    expect(existsSync(sentinelOf(retired))).toBe(false);
    const recovered = strayed();
    expect(recover(disk, recovered)).toMatchObject({ settled: true });
    expect(besideSentinel(recovered)).toEqual([]);
  });
});
