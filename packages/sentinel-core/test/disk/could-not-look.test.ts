/**
 * A sentinel that could not be looked at: whose holds it carries is not known, so nobody's hold is
 * lifted and nothing is written over. What merely describes the object (a folder, a link) is lifted as
 * ever; see `hostile-disk/odd-things.test.ts`.
 */
import { describe, expect, test } from 'vitest';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import type { DiskPort } from '../../src/disk/port.ts';
import { recover } from '../../src/disk/recover.ts';
import { retire } from '../../src/disk/retire.ts';
import {
  type BodyJson,
  EXPIRED,
  KEEPERS,
  STANDING,
  textOf,
  writeSentinel,
} from '../support/bodies.ts';
import { errno } from '../support/ports.ts';
import { besideSentinel, scopeInMemory } from '../support/scope-dir.ts';

const disk = nodeDisk();
const THREE = {
  ...STANDING,
  holds: [KEEPERS, { id: 'O', holder: 'operator', reason: 'ours' }, { id: 'D', holder: 'deploy' }],
};

/** Errnos that say something of this process, of permissions or of the disk, and nothing of the file. */
const ERRNOS =
  'EMFILE ENFILE EIO ESTALE ENOMEM ETIMEDOUT EACCES EPERM EINTR EAGAIN EBUSY EREMOTEIO'.split(' ');

/** A disk of which no file can be opened for reading, or none can be read. */
const WAYS: ReadonlyArray<readonly [string, (code: string) => DiskPort]> = [
  [
    'open',
    (code) => ({
      ...disk,
      open(path, mode) {
        if (mode !== 'wx') throw errno(code);
        return disk.open(path, mode);
      },
    }),
  ],
  [
    'read',
    (code) => ({
      ...disk,
      read() {
        throw errno(code);
      },
    }),
  ],
];

describe.each(ERRNOS)('where looking fails with %s', (code) => {
  describe.each(WAYS)('at %s', (_call, make) => {
    const port = make(code);
    const scope = (body: BodyJson) => {
      const dir = scopeInMemory();
      writeSentinel(dir, body);
      return { dir, before: textOf(dir) };
    };

    test('it is held, and the answer says why', () => {
      const { dir } = scope(EXPIRED);
      expect(check(port, dir)).toMatchObject({ engaged: true, unreadable: code });
    });

    test('no holder’s lift, and no lift by id, takes or changes it', () => {
      const { dir, before } = scope(THREE);
      for (const holder of ['operator', 'keeper', 'nobody']) {
        expect(lift(port, dir, { holder })).toMatchObject({ lifted: false, why: code });
      }
      const seen = check(port, dir);
      const [unknown] = seen.engaged ? seen.holds : [];
      expect(lift(port, dir, { id: unknown?.id ?? '' })).toMatchObject({
        lifted: false,
        why: code,
      });
      expect(textOf(dir)).toBe(before);
      expect(besideSentinel(dir)).toEqual([]);
    });

    test('everyone’s lift fenced by a generation is refused with the errno: it may be the right one', () => {
      const { dir, before } = scope(THREE);
      const answer = lift(port, dir, { everyone: true }, { ifGeneration: 'G' });
      expect(answer).toMatchObject({ lifted: false, why: code });
      expect(textOf(dir)).toBe(before);
    });

    test('everyone’s lift takes it, and says that it could not be read', () => {
      const { dir } = scope(THREE);
      const answer = lift(port, dir, { everyone: true });
      expect(answer).toMatchObject({ lifted: true, holds: [{ unreadable: code }] });
      expect(check(disk, dir)).toEqual({ engaged: false, expired: false });
      expect(besideSentinel(dir)).toEqual([]);
    });

    test('an arm places nothing over it, says so, and leaves every hold', () => {
      const { dir, before } = scope(THREE);
      const answer = arm(port, dir, { holder: 'operator', reason: 'mine' });
      expect(answer).toMatchObject({ armed: false, why: code, engaged: true });
      expect(textOf(dir)).toBe(before);
      expect(besideSentinel(dir)).toEqual([]);
    });

    test('a retirement takes nothing', () => {
      const { dir, before } = scope(EXPIRED);
      expect(retire(port, dir)).toEqual({ retired: false, why: 'active' });
      expect(textOf(dir)).toBe(before);
    });

    test('what a dead owner took out is given back whole, or stays where it holds', () => {
      const { dir } = scope(THREE);
      const dead = { ...disk, token: () => disk.token().replace(/\.\d+\./, '.4194305.') };
      // It dies right after it has taken the sentinel out, and somebody arms in its place.
      const dying: DiskPort = {
        ...dead,
        rename(from, to) {
          disk.rename(from, to);
          if (to.includes('/lift:')) throw new Error('killed');
        },
      };
      expect(() => lift(dying, dir, { everyone: true }, {}, { tries: 1 })).toThrow('killed');
      writeSentinel(dir, { generation: 'N', holds: [{ id: 'N', holder: 'new' }] });
      recover(port, dir, { force: true });
      expect(check(disk, dir)).toMatchObject({ engaged: true });
      recover(disk, dir, { force: true });
      const seen = check(disk, dir);
      expect(seen.engaged && seen.holds.map(({ id }) => id)).toContain('N');
      expect(besideSentinel(dir)).toEqual([]);
    });
  });
});
