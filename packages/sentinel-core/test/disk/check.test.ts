/**
 * The gate's question about one scope.
 * What odd things in the sentinel's place do to it is `hostile-disk/`.
 */
import { linkSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/disk/check.ts';
import { inspect } from '../../src/disk/inspect.ts';
import { claimName, liftName, newName, pinName, TENURE } from '../../src/disk/names.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import type { DiskPort } from '../../src/disk/port.ts';
import {
  EXPIRED,
  KEEPERS,
  LATER,
  PASSED,
  STANDING,
  sentinelOf,
  writeSentinel,
} from '../support/bodies.ts';
import { errno } from '../support/ports.ts';
import { scopeDir } from '../support/scope-dir.ts';

const disk = nodeDisk();
const FREE = { engaged: false, expired: false };

/** Would fail the test where a check wrote anything, and remembers what it asked. */
function watched(): { port: DiskPort; asked: string[] } {
  const asked: string[] = [];
  const never = () => {
    throw new Error('a check must not write');
  };
  const changing = ['mkdir', 'rmdir', 'unlink', 'link', 'rename', 'write', 'truncate', 'fsync'];
  const port: DiskPort = {
    ...disk,
    ...Object.fromEntries([...changing, 'fsyncDir', 'pause'].map((name) => [name, never])),
    lstat(path) {
      asked.push(`lstat ${path.slice(path.lastIndexOf('/') + 1)}`);
      return disk.lstat(path);
    },
    open(path, mode) {
      if (mode !== 'r') never();
      asked.push(`open ${path.slice(path.lastIndexOf('/') + 1)}`);
      return disk.open(path, mode);
    },
  };
  return { port, asked };
}

/** A tenure whose owner is at work, or died there. */
function tenureIn(dir: string, token = 'somewhere.1.a.0'): string {
  const owned = join(dir, TENURE, token);
  mkdirSync(owned, { recursive: true });
  return owned;
}

describe('what is free', () => {
  test('a folder without a sentinel is free', () => {
    expect(check(disk, scopeDir())).toEqual(FREE);
  });

  test('a folder that does not exist is free', () => {
    expect(check(disk, join(scopeDir(), 'no', 'such'))).toEqual(FREE);
  });

  test('a scope whose folder is a file is free', () => {
    const dir = scopeDir();
    writeFileSync(join(dir, 'file'), '');
    expect(check(disk, join(dir, 'file'))).toEqual(FREE);
  });

  test('a wholly expired sentinel holds nobody, and is said to wait for retirement', () => {
    const dir = scopeDir();
    writeSentinel(dir, EXPIRED);
    expect(check(disk, dir)).toEqual({ engaged: false, expired: true });
  });

  test('"free" is answered by two looks, at the tenure before the sentinel', () => {
    const { port, asked } = watched();
    expect(check(port, scopeDir())).toEqual(FREE);
    expect(asked).toEqual(['lstat .ESTOP.txn', 'lstat ESTOP']);
  });

  test('an empty tenure, and one with nothing aside, hide nothing and hold nobody', () => {
    const dir = scopeDir();
    mkdirSync(join(dir, TENURE));
    expect(check(disk, dir)).toEqual(FREE);
    writeFileSync(join(tenureIn(dir), newName('somewhere.1.a.0', 0)), '{}');
    expect(check(disk, dir)).toEqual(FREE);
  });

  test.each([
    ['a file', (path: string) => writeFileSync(path, '')],
    ['a link to a folder', (path: string) => symlinkSync('/', path)],
    ['a dangling link', (path: string) => symlinkSync('/nowhere/at/all', path)],
  ])("%s in the tenure's place is no tenure", (_what, place) => {
    const dir = scopeDir();
    place(join(dir, TENURE));
    expect(check(disk, dir)).toEqual(FREE);
    writeSentinel(dir, STANDING);
    expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ id: 'K' }] });
  });
});

describe('what is held', () => {
  test('a standing hold is given with everything it says', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const seen = check(disk, dir);
    expect(seen).toMatchObject({
      engaged: true,
      generation: 'G',
      topAllow: { userIds: ['u1', 'u2'], profiles: ['lane-a'] },
      holds: [
        {
          id: 'K',
          holder: 'keeper',
          reason: 'kept',
          expiresAt: LATER,
          expiresAtMs: Date.parse(LATER),
          allow: { userIds: ['u1', 'u2'], profiles: ['lane-a'] },
        },
      ],
    });
    expect(seen).not.toHaveProperty('unreadable');
    expect(seen).not.toHaveProperty('aside');
    expect(seen).not.toHaveProperty('overdue');
  });

  test('of several holds only those that stand are given', () => {
    const dir = scopeDir();
    writeSentinel(dir, { ...STANDING, holds: [{ id: 'X', expires_at: PASSED }, KEEPERS] });
    expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ id: 'K' }] });
  });

  test('a top level that has not expired holds, though every hold has', () => {
    const dir = scopeDir();
    writeSentinel(dir, { ...EXPIRED, expires_at: LATER });
    expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ id: 'E', holder: null }] });
  });

  test('a check writes nothing, whatever it finds', () => {
    const { port } = watched();
    for (const body of [STANDING, EXPIRED, 'torn{']) {
      const dir = scopeDir();
      writeSentinel(dir, body);
      expect(() => check(port, dir)).not.toThrow();
      writeFileSync(join(tenureIn(dir), claimName('t')), JSON.stringify(STANDING));
      expect(() => check(port, dir)).not.toThrow();
    }
  });
});

describe('while a tenure exists', () => {
  test('a live hold that a retirement had taken out goes on holding', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    renameSync(sentinelOf(dir), join(tenureIn(dir), claimName('t')));
    expect(check(disk, dir)).toMatchObject({ engaged: true, aside: true, holds: [{ id: 'K' }] });
  });

  test('an expired sentinel that a retirement had taken out is gone', () => {
    const dir = scopeDir();
    writeSentinel(dir, EXPIRED);
    renameSync(sentinelOf(dir), join(tenureIn(dir), claimName('t')));
    expect(check(disk, dir)).toEqual(FREE);
  });

  test('what a lift took out is gone if it is what the lifter saw, and holds if it is not', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const seen = inspect(disk, sentinelOf(dir), Date.now());
    const claim = join(tenureIn(dir), liftName('t', seen));
    renameSync(sentinelOf(dir), claim);
    expect(check(disk, dir)).toEqual(FREE);
    writeFileSync(claim, JSON.stringify({ ...STANDING, generation: 'other' }));
    expect(check(disk, dir)).toMatchObject({ engaged: true, aside: true, holds: [{ id: 'K' }] });
  });

  test('what a commit displaced holds only if somebody wrote into it under that commit', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const owned = tenureIn(dir);
    const pin = join(owned, pinName('t', 0, inspect(disk, sentinelOf(dir), Date.now())));
    const draft = join(owned, newName('t', 0));
    linkSync(sentinelOf(dir), pin);
    unlinkSync(sentinelOf(dir));
    expect(check(disk, dir)).toEqual(FREE);
    writeFileSync(pin, 'written in place');
    expect(check(disk, dir)).toMatchObject({ engaged: true, aside: true, unreadable: 'not-json' });
    // With its draft still there, nothing was committed: the pin says nothing.
    writeFileSync(draft, '{}');
    expect(check(disk, dir)).toEqual(FREE);
  });

  test('what is aside holds as well as what stands, and lets nobody pass whom it denies', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    writeFileSync(join(tenureIn(dir), claimName('t')), 'aside');
    const seen = check(disk, dir);
    expect(seen).toMatchObject({
      engaged: true,
      holds: [{ id: 'K' }, { unreadable: 'not-json' }],
      topAllow: null,
      aside: true,
    });
  });

  test('more tenures, or more names in one, than a bounded look can take are held', () => {
    const many = scopeDir();
    for (let i = 0; i < 17; i++) tenureIn(many, `somewhere.1.a.${i}`);
    expect(check(disk, many)).toMatchObject({ engaged: true, unreadable: 'unsettled' });

    const crowded = scopeDir();
    const owned = tenureIn(crowded);
    for (let i = 0; i < 33; i++) writeFileSync(join(owned, `junk${i}`), '');
    expect(check(disk, crowded)).toMatchObject({ engaged: true, unreadable: 'unsettled' });
  });

  test('a tenure that keeps changing hands is held after a bounded number of looks', () => {
    const dir = scopeDir();
    tenureIn(dir);
    let looks = 0;
    const restless: DiskPort = {
      ...disk,
      readdir(path) {
        looks += 1;
        if (path.endsWith(TENURE)) return disk.readdir(path);
        throw errno('ENOENT');
      },
    };
    expect(check(restless, dir)).toMatchObject({ engaged: true, unreadable: 'unsettled' });
    expect(looks).toBeLessThan(20);
  });
});

test.each(['EACCES', 'EIO', 'ELOOP', 'ESTALE', 'EMFILE', 'ENAMETOOLONG'])(
  'a folder that answers %s is held, and nothing is thrown',
  (code) => {
    const dir = scopeDir();
    const failing: DiskPort = {
      ...disk,
      lstat() {
        throw errno(code);
      },
    };
    expect(check(failing, dir)).toMatchObject({
      engaged: true,
      unreadable: code,
      holds: [{ holder: null, expiresAtMs: null, allow: null, unreadable: code }],
    });
  },
);

test('a path that no file system takes is held, and nothing is thrown', () => {
  for (const dir of ['a\0b', 'x'.repeat(5_000), `${'d/'.repeat(5_000)}d`]) {
    expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ expiresAtMs: null }] });
  }
});
