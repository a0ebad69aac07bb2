/**
 * Folders that a process may read but not change: what stands there goes on standing, also when its
 * deadline has passed.
 */
import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claimName, TENURE } from '../../../src/disk/names.ts';
import { journalPath } from '../../../src/files/journal.ts';
import {
  type BodyJson,
  EXPIRED,
  readSentinel,
  STANDING,
  sentinelOf,
  textOf,
  writeSentinel,
} from '../../support/bodies.ts';
import { needs } from '../../support/needs.ts';
import { NOBODY, otherProcess, otherUserMissing } from '../../support/other-process.ts';
import { besideSentinel, scopeDir } from '../../support/scope-dir.ts';

needs(otherUserMissing);
const nobody = otherProcess({ uid: NOBODY });

/** Root's folder, in which nobody else may make anything; `theirs`: the sentinel is nobody's own. */
function forbidden(body: BodyJson | null, { theirs = false } = {}): string {
  const dir = scopeDir(0o755);
  if (body !== null) {
    writeSentinel(dir, body);
    if (theirs) chownSync(sentinelOf(dir), NOBODY, NOBODY);
  }
  return dir;
}

test('where nothing stands, nothing is armed, and the answer says that nothing holds', async () => {
  const dir = forbidden(null);
  expect(await nobody.run('check', dir)).toEqual({ engaged: false, expired: false });
  expect(await nobody.run('arm', dir, { holder: 'me' })).toMatchObject({
    armed: false,
    why: 'EACCES',
    engaged: false,
    holds: [],
  });
  expect(existsSync(sentinelOf(dir))).toBe(false);
  expect(besideSentinel(dir)).toEqual([]);
});

describe.each([
  ['another user’s', false],
  ['this user’s own', true],
])('%s standing sentinel', (_whose, theirs) => {
  test('can be neither armed beside nor lifted, and is never written into', async () => {
    const dir = forbidden(STANDING, { theirs });
    for (const holder of ['me', 'keeper']) {
      expect(await nobody.run('arm', dir, { holder })).toMatchObject({
        armed: false,
        why: 'EACCES',
        engaged: true,
        holds: [{ id: 'K' }],
      });
    }
    for (const selection of [{ holder: 'keeper' }, { everyone: true }] as const) {
      expect(await nobody.run('lift', dir, selection)).toMatchObject({
        lifted: false,
        why: 'EACCES',
      });
    }
    expect(await nobody.run('check', dir)).toMatchObject({ engaged: true, holds: [{ id: 'K' }] });
    expect(readSentinel(dir)).toEqual(STANDING);
    expect(besideSentinel(dir)).toEqual([]);
  });
});

describe('an expired sentinel', () => {
  test('is held, overdue, with what it said: this process may not remove it', async () => {
    const dir = forbidden(EXPIRED);
    expect(await nobody.run('check', dir)).toMatchObject({
      engaged: true,
      overdue: true,
      generation: 'E',
      holds: [{ id: 'X', holder: 'me', reason: 'over' }],
    });
    expect(await nobody.run('retire', dir)).toEqual({ retired: false, why: 'EACCES' });
    expect(await nobody.run('lift', dir, { everyone: true })).toMatchObject({
      lifted: false,
      why: 'EACCES',
    });
    expect(readSentinel(dir)).toEqual(EXPIRED);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('is not overdue for who may remove it', async () => {
    const dir = forbidden(EXPIRED);
    chmodSync(dir, 0o777);
    expect(await nobody.run('check', dir)).toEqual({ engaged: false, expired: true });
  });

  test('of one’s own is armed by emptying it, and said to be', async () => {
    const dir = forbidden(EXPIRED, { theirs: true });
    expect(await nobody.run('arm', dir, { holder: 'me' })).toMatchObject({
      armed: true,
      degraded: 'empty',
      why: 'EACCES',
    });
    expect(textOf(dir)).toBe('');
    expect(await nobody.run('check', dir)).toMatchObject({ engaged: true, unreadable: 'empty' });
  });

  test('of another user’s cannot be armed, and the answer agrees with the gate', async () => {
    const dir = forbidden(EXPIRED);
    const armed = await nobody.run('arm', dir, { holder: 'me' });
    expect(armed).toMatchObject({ armed: false, why: 'EACCES' });
    expect(readSentinel(dir)).toEqual(EXPIRED);
    const seen = await nobody.run('check', dir);
    expect(armed.armed || armed.engaged).toBe(seen.engaged);
  });
});

describe.each([
  ['may', 0o777],
  ['may not', 0o755],
])('a hold that an owner died with, in a tenure that this user %s take over,', (_may, mode) => {
  function aside(): string {
    const dir = forbidden(STANDING);
    const owned = join(dir, TENURE, 'x.1.a.0');
    mkdirSync(owned, { recursive: true });
    renameSync(sentinelOf(dir), join(owned, claimName('x.1.a.0')));
    chmodSync(join(dir, TENURE), mode);
    chmodSync(owned, mode);
    return dir;
  }

  test('goes on holding, and an arm says so', async () => {
    const dir = aside();
    expect(await nobody.run('arm', dir, { holder: 'me' })).toMatchObject({
      armed: false,
      why: 'EACCES',
      engaged: true,
    });
    expect(await nobody.run('check', dir)).toMatchObject({ engaged: true, holds: [{ id: 'K' }] });
  });

  test('goes on holding after a lift and a recovery, neither of which claims anything', async () => {
    const dir = aside();
    expect(await nobody.run('lift', dir, { everyone: true })).toMatchObject({ lifted: false });
    expect(await nobody.run('recover', dir)).toMatchObject({ settled: false });
    expect(await nobody.run('check', dir)).toMatchObject({ engaged: true, holds: [{ id: 'K' }] });
  });
});

describe('another user’s journal', () => {
  const actor = { user: 'nobody', host: 'h', pid: 1, via: 'test' };
  const entry = { event: 'arm', scope: '/s', holds: [], generation: null, actor } as const;

  test.each([
    ['a root where this user may make nothing', (_root: string) => {}],
    [
      'a folder that is not this user’s',
      (root: string) => mkdirSync(join(root, '.fleet'), { mode: 0o700 }),
    ],
    [
      'a file that is not this user’s',
      (root: string) => {
        mkdirSync(join(root, '.fleet'));
        writeFileSync(journalPath(root), '', { mode: 0o600 });
      },
    ],
  ])('is not written, and the answer says so: %s', async (_what, prepare) => {
    const root = scopeDir(0o755);
    prepare(root);
    expect(await nobody.run('appendJournal', root, entry)).toEqual({
      written: false,
      why: 'EACCES',
    });
  });
});
