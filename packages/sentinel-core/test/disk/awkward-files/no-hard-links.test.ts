/**
 * File systems without hard links: no hold is lost there, and none is lent a deadline.
 * Hard links that are refused for another owner's file are `other-user/`.
 */
import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { arm } from '../../../src/disk/arm.ts';
import { check } from '../../../src/disk/check.ts';
import { lift } from '../../../src/disk/lift.ts';
import { claimName, TENURE } from '../../../src/disk/names.ts';
import { nodeDisk } from '../../../src/disk/node-disk.ts';
import type { DiskPort, Handle } from '../../../src/disk/port.ts';
import { recover } from '../../../src/disk/recover.ts';
import { retire } from '../../../src/disk/retire.ts';
import {
  EXPIRED,
  holdsOf,
  KEEPERS,
  LATER,
  readSentinel,
  STANDING,
  sentinelOf,
  textOf,
  writeSentinel,
} from '../../support/bodies.ts';
import { errno, failingOnce, ofDeadProcess, withoutLinks } from '../../support/ports.ts';
import { besideSentinel, scopeDir } from '../../support/scope-dir.ts';

const real = nodeDisk();

describe.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])(
  'where every hard link answers %s',
  (code) => {
    const disk = withoutLinks(real, code);

    test('an arm over nothing, over another’s hold and over one’s own is in full', () => {
      const dir = scopeDir();
      for (const holder of ['me', 'other', 'me']) {
        const armed = arm(disk, dir, { holder, reason: holder, expiresAt: LATER });
        expect(armed).toMatchObject({ armed: true, hold: { reason: holder } });
        expect(armed).not.toHaveProperty('degraded');
      }
      expect(holdsOf(dir).map(({ holder }) => holder)).toEqual(['other', 'me']);
      expect(besideSentinel(dir)).toEqual([]);
    });

    test('holds are lifted one by one, and together', () => {
      const dir = scopeDir();
      writeSentinel(dir, STANDING);
      arm(disk, dir, { holder: 'me' });
      expect(lift(disk, dir, { holder: 'me' })).toMatchObject({ lifted: true });
      expect(holdsOf(dir)).toEqual([KEEPERS]);
      expect(lift(disk, dir, { everyone: true })).toMatchObject({ lifted: true });
      expect(check(disk, dir)).toEqual({ engaged: false, expired: false });
      expect(besideSentinel(dir)).toEqual([]);
    });

    test('an expired sentinel is retired, and armed over', () => {
      const dir = scopeDir();
      writeSentinel(dir, EXPIRED);
      expect(arm(disk, dir, { holder: 'me' })).toMatchObject({ armed: true });
      writeSentinel(dir, EXPIRED);
      expect(retire(disk, dir)).toMatchObject({ retired: true });
      expect(besideSentinel(dir)).toEqual([]);
    });

    test.each([
      ['an empty file', ''],
      ['a torn body', '{"expi'],
      ['an older tool’s body', '{"reason":"r"}'],
    ])('%s is not lent the deadline of who arms beside it', (_what, text) => {
      const dir = scopeDir();
      writeSentinel(dir, text);
      expect(arm(disk, dir, { holder: 'me', expiresAt: LATER })).toMatchObject({ armed: true });
      expect(readSentinel(dir)).not.toHaveProperty('expires_at');
      expect(check(disk, dir)).toMatchObject({
        holds: [{ holder: null, expiresAtMs: null }, { holder: 'me' }],
      });
    });
  },
);

test('a body is renamed into place whole: nobody ever sees half of one', () => {
  const dir = scopeDir();
  const disk = withoutLinks(real);
  const paths = new Map<Handle, string>();
  const written: (string | undefined)[] = [];
  const watched: DiskPort = {
    ...disk,
    open(path, mode) {
      const handle = disk.open(path, mode);
      paths.set(handle, path);
      return handle;
    },
    write(handle, text) {
      written.push(paths.get(handle));
      disk.write(handle, text);
    },
  };
  expect(arm(watched, dir, { holder: 'me', expiresAt: LATER })).toMatchObject({ armed: true });
  expect(written).toHaveLength(1);
  expect(written).not.toContain(sentinelOf(dir));
  expect(besideSentinel(dir)).toEqual([]);
});

/** Takes out `body` as a retirement that died did, and returns where it lies. */
function takenOut(dir: string, body: object): string {
  const token = ofDeadProcess(real).token();
  mkdirSync(join(dir, TENURE, token), { recursive: true });
  const claim = join(dir, TENURE, token, claimName(token));
  writeFileSync(claim, JSON.stringify(body));
  return claim;
}

describe('a live hold that cannot be given back by a link', () => {
  const second = { generation: 'S', holds: [{ id: 'S', holder: 'second' }] };

  /** The name is taken in the very moment between the refused link and the copy. */
  const raced = (dir: string, code = 'EPERM'): DiskPort => {
    const disk = withoutLinks(real, code);
    return {
      ...disk,
      link(from, to) {
        try {
          disk.link(from, to);
        } finally {
          if (to === sentinelOf(dir)) writeSentinel(dir, second);
        }
      },
    };
  };

  test('stands together with one that is placed meanwhile', () => {
    const dir = scopeDir();
    takenOut(dir, STANDING);
    expect(recover(raced(dir), dir, { force: true })).toMatchObject({ settled: true });
    recover(real, dir, { force: true });
    expect(
      holdsOf(dir)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['K', 'S']);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('stands together with one where the link is refused although the name is taken', () => {
    // Not what Linux answers, but POSIX leaves the order open.
    const dir = scopeDir();
    takenOut(dir, STANDING);
    writeSentinel(dir, second);
    const disk = {
      ...real,
      link() {
        throw errno('ENOTSUP');
      },
    };
    recover(disk, dir, { force: true });
    recover(real, dir, { force: true });
    expect(
      holdsOf(dir)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['K', 'S']);
  });

  test('keeps its holder, its deadline and its id when the copy meets a full disk', () => {
    for (let nth = 1; ; nth++) {
      const dir = scopeDir();
      takenOut(dir, STANDING);
      const full = failingOnce(withoutLinks(ofDeadProcess(real)), nth, 'ENOSPC');
      expect(() => recover(full.disk, dir, { force: true }), `call ${nth}`).not.toThrow();
      expect(check(real, dir), `call ${nth}`).toMatchObject({ engaged: true });
      recover(withoutLinks(real), dir, { force: true });
      expect(textOf(dir), `call ${nth}`).toBe(JSON.stringify(STANDING));
      expect(besideSentinel(dir), `call ${nth}`).toEqual([]);
      if (!full.failed()) return;
    }
  });

  test('makes nobody throw who takes over a tenure in a folder where nothing can be made', () => {
    const operations = {
      arm: (port: DiskPort, dir: string) => arm(port, dir, { holder: 'me' }),
      lift: (port: DiskPort, dir: string) => lift(port, dir, { holder: 'me' }),
      'lift all': (port: DiskPort, dir: string) => lift(port, dir, { everyone: true }),
      retire: (port: DiskPort, dir: string) => retire(port, dir),
      recover: (port: DiskPort, dir: string) => recover(port, dir, { force: true }),
    };
    for (const [name, operate] of Object.entries(operations)) {
      const dir = scopeDir();
      takenOut(dir, STANDING);
      const disk: DiskPort = {
        ...withoutLinks(real),
        open(path, mode) {
          if (mode === 'wx' && path === sentinelOf(dir)) throw errno('EACCES');
          return real.open(path, mode);
        },
      };
      expect(() => operate(disk, dir), name).not.toThrow();
      const seen = check(real, dir);
      expect(seen.engaged && seen.holds.map(({ id }) => id), name).toContain('K');
    }
  });

  test('goes back as the same inode where it is no regular file', () => {
    const dir = scopeDir();
    const claim = takenOut(dir, STANDING);
    renameSync(claim, `${claim}.away`);
    mkdirSync(claim);
    const { ino } = statSync(claim);
    recover(withoutLinks(real), dir, { force: true });
    expect(statSync(sentinelOf(dir)).ino).toBe(ino);
  });
});
