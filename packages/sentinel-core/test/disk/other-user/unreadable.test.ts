/**
 * What another user may not read or enter is held, and the answer says why.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claimName, TENURE } from '../../../src/disk/names.ts';
import {
  type BodyJson,
  EXPIRED,
  holdsOf,
  LATER,
  readSentinel,
  STANDING,
  sentinelOf,
  writeSentinel,
} from '../../support/bodies.ts';
import { needs } from '../../support/needs.ts';
import { NOBODY, otherProcess, otherUserMissing } from '../../support/other-process.ts';
import { besideSentinel, scopeDir } from '../../support/scope-dir.ts';

needs(otherUserMissing);
const nobody = otherProcess({ uid: NOBODY });
const strict = otherProcess({ umask: 0o077 });
const REFUSED = {
  engaged: true,
  unreadable: 'EACCES',
  topAllow: null,
  holds: [{ holder: null, expiresAtMs: null, allow: null, unreadable: 'EACCES' }],
};

test('a folder that this user may not enter is held, whatever stands in it', async () => {
  for (const body of [null, EXPIRED, STANDING]) {
    const dir = scopeDir(0o700);
    if (body !== null) writeSentinel(dir, body);
    expect(await nobody.run('check', dir)).toMatchObject(REFUSED);
  }
});

test('a folder below one that this user may not enter is held, whether or not it is there', async () => {
  const parent = scopeDir(0o700);
  mkdirSync(join(parent, 'lane'));
  expect(await nobody.run('check', join(parent, 'lane'))).toMatchObject(REFUSED);
  expect(await nobody.run('check', join(parent, 'no-such-lane'))).toMatchObject(REFUSED);
});

test('nothing is armed, lifted or retired there, and nothing is thrown', async () => {
  const dir = scopeDir(0o700);
  writeSentinel(dir, STANDING);
  expect(await nobody.run('arm', dir, { holder: 'me' })).toMatchObject({
    armed: false,
    why: 'EACCES',
    engaged: true,
  });
  expect(await nobody.run('lift', dir, { everyone: true })).toMatchObject({
    lifted: false,
    why: 'EACCES',
  });
  expect(await nobody.run('retire', dir)).toEqual({ retired: false, why: 'active' });
  expect(await nobody.run('recover', dir)).toMatchObject({ settled: false, why: 'EACCES' });
  expect(readSentinel(dir)).toEqual(STANDING);
});

test('a folder that this user may enter but not list is read like any other', async () => {
  const dir = scopeDir(0o711);
  expect(await nobody.run('check', dir)).toEqual({ engaged: false, expired: false });
  writeSentinel(dir, STANDING);
  expect(await nobody.run('check', dir)).toMatchObject({ engaged: true, holds: [{ id: 'K' }] });
});

test('a tenure that this user may not look into is held', async () => {
  const dir = scopeDir(0o755);
  mkdirSync(join(dir, TENURE), { mode: 0o700 });
  expect(await nobody.run('check', dir)).toMatchObject(REFUSED);
});

test('what is aside in a tenure and may not be read is held', async () => {
  const dir = scopeDir(0o755);
  mkdirSync(join(dir, TENURE, 'x.1.a.0'), { recursive: true });
  const claim = join(dir, TENURE, 'x.1.a.0', claimName('x.1.a.0'));
  writeFileSync(claim, JSON.stringify(EXPIRED), { mode: 0o600 });
  expect(await nobody.run('check', dir)).toMatchObject({ ...REFUSED, aside: true });
});

describe('a sentinel that this user may not read', () => {
  const unreadable = (body: BodyJson): string => {
    const dir = scopeDir(0o777);
    writeSentinel(dir, body);
    chmodSync(sentinelOf(dir), 0o600);
    return dir;
  };

  test.each([
    ['stands', STANDING],
    ['has expired', EXPIRED],
  ])('is held, also if it %s', async (_state, body) => {
    const dir = unreadable(body);
    expect(await nobody.run('check', dir)).toMatchObject(REFUSED);
    expect(await nobody.run('retire', dir)).toEqual({ retired: false, why: 'active' });
    expect(readSentinel(dir)).toEqual(body);
  });

  test('is lifted by no holder, the operator included, but by everyone’s lift', async () => {
    const dir = unreadable(STANDING);
    expect(await nobody.run('lift', dir, { holder: 'keeper' })).toMatchObject({
      lifted: false,
      why: 'EACCES',
    });
    // It has holds that this user has not seen: they are no anonymous one.
    expect(await nobody.run('lift', dir, { holder: 'operator' })).toMatchObject({
      lifted: false,
      why: 'EACCES',
      remaining: [{ unreadable: 'EACCES' }],
    });
    expect(readSentinel(dir)).toEqual(STANDING);
    expect(await nobody.run('lift', dir, { everyone: true })).toMatchObject({ lifted: true });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('goes on holding without a deadline when this user arms beside it', async () => {
    const dir = unreadable(STANDING);
    const armed = await nobody.run('arm', dir, { holder: 'me', expiresAt: LATER });
    expect(await nobody.run('check', dir)).toMatchObject({ engaged: true });
    if (!armed.armed) {
      expect(armed).toMatchObject({ engaged: true });
      expect(readSentinel(dir)).toEqual(STANDING);
      return;
    }
    expect(readSentinel(dir)).not.toHaveProperty('expires_at');
    expect(holdsOf(dir)).toHaveLength(2);
  });

  test('does not lose the holds that this user could not read when this user arms', async () => {
    const dir = unreadable(STANDING);
    await nobody.run('arm', dir, { holder: 'me' });
    expect(holdsOf(dir).map(({ id }) => id)).toContain('K');
  });
});

describe('a sentinel that we place', () => {
  test('is readable by whoever may read the folder, also when placed under umask 077', async () => {
    const dir = scopeDir(0o777);
    expect(await strict.run('arm', dir, { holder: 'me', expiresAt: LATER })).toMatchObject({
      armed: true,
    });
    expect(await nobody.run('check', dir)).toMatchObject({
      engaged: true,
      holds: [{ holder: 'me', expiresAt: LATER }],
    });
  });

  test('is placed again, and lifted, by another user of a shared folder', async () => {
    const dir = scopeDir(0o777);
    await strict.run('arm', dir, { holder: 'me', expiresAt: LATER });
    expect(await nobody.run('arm', dir, { holder: 'me', reason: 'r' })).toMatchObject({
      armed: true,
      hold: { expiresAt: LATER, reason: 'r' },
    });
    expect(await nobody.run('lift', dir, { holder: 'me' })).toMatchObject({ lifted: true });
    expect(besideSentinel(dir)).toEqual([]);
  });
});
