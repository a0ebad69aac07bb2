/** Where no path leads to an open folder, as on macOS: links that stand still are not followed either. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { arm } from '../../../src/disk/arm.ts';
import type { check } from '../../../src/disk/check.ts';
import type { lift } from '../../../src/disk/lift.ts';
import type { DiskPort } from '../../../src/disk/port.ts';
import type { recover } from '../../../src/disk/recover.ts';
import { besideSentinel, scopeDir } from '../../support/scope-dir.ts';

const { platform } = process;
let disk: DiskPort;
let core: {
  arm: typeof arm;
  check: typeof check;
  lift: typeof lift;
  recover: typeof recover;
};

/** The code under test asks once, so it is loaded anew. */
beforeAll(async () => {
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  vi.resetModules();
  core = {
    ...(await import('../../../src/disk/arm.ts')),
    ...(await import('../../../src/disk/check.ts')),
    ...(await import('../../../src/disk/lift.ts')),
    ...(await import('../../../src/disk/recover.ts')),
  };
  disk = (await import('../../../src/disk/node-disk.ts')).nodeDisk({ patienceMs: 0 });
});
afterAll(() => {
  Object.defineProperty(process, 'platform', { value: platform });
});

test('a hold is placed, seen and lifted, and nothing stays behind', () => {
  const dir = scopeDir();
  expect(core.arm(disk, dir, {})).toMatchObject({ armed: true });
  expect(core.check(disk, dir).engaged).toBe(true);
  expect(core.lift(disk, dir, { everyone: true })).toMatchObject({ lifted: true });
  expect(core.check(disk, dir).engaged).toBe(false);
  expect(besideSentinel(dir)).toEqual([]);
});

test('a link in the place of a tenure is held, removed, and leads to nothing that is', () => {
  const [dir, away] = [scopeDir(), scopeDir()];
  writeFileSync(join(away, 'precious'), '');
  mkdirSync(join(dir, '.ESTOP.txn'));
  symlinkSync(away, join(dir, '.ESTOP.txn/x'));
  expect(core.check(disk, dir)).toMatchObject({ engaged: true, unreadable: 'ENOTDIR' });
  expect(core.recover(disk, dir, { force: true })).toMatchObject({ settled: true });
  expect(existsSync(join(away, 'precious'))).toBe(true);
  expect(besideSentinel(dir)).toEqual([]);
});
