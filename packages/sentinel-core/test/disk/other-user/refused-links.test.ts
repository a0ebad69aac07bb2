/**
 * Another owner's file in a shared folder, where the kernel refuses this user hard links to it: no
 * hold of it is lost, and none is lent a deadline.
 */
import { chmodSync, chownSync, linkSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claimName, TENURE } from '../../../src/disk/names.ts';
import {
  EXPIRED,
  holdsOf,
  KEEPERS,
  LATER,
  readSentinel,
  STANDING,
  sentinelOf,
  writeSentinel,
} from '../../support/bodies.ts';
import { needs } from '../../support/needs.ts';
import { NOBODY, otherProcess, otherUserMissing } from '../../support/other-process.ts';
import { besideSentinel, scopeDir } from '../../support/scope-dir.ts';

needs(otherUserMissing ?? unprotected());
const nobody = otherProcess({ uid: NOBODY });
const root = otherProcess();

/** Why links to another owner's file are not refused here. */
function unprotected(): string | undefined {
  const setting = '/proc/sys/fs/protected_hardlinks';
  return readFileSync(setting, 'utf8').trim() === '1' ? undefined : `${setting} is not 1`;
}

/** A folder that everybody may change, with root's sentinel in it. */
function shared(body: object | string): string {
  const dir = scopeDir(0o777);
  writeSentinel(dir, typeof body === 'string' ? body : JSON.stringify(body));
  chmodSync(sentinelOf(dir), 0o644);
  return dir;
}

describe('root’s standing sentinel', () => {
  test('is armed beside: both holds stand, field for field', async () => {
    const dir = shared(STANDING);
    expect(await nobody.run('arm', dir, { holder: 'me', reason: 'r' })).toMatchObject({
      armed: true,
    });
    expect(holdsOf(dir)).toEqual([KEEPERS, expect.objectContaining({ holder: 'me' })]);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test.each([
    ['an empty one', ''],
    ['a torn one', '{"expires_at":'],
    ['an older tool’s', '{"reason":"r"}'],
  ])('is not lent a deadline: %s', async (_what, text) => {
    const dir = shared(text);
    const request = { holder: 'me', expiresAt: LATER };
    expect(await nobody.run('arm', dir, request)).toMatchObject({ armed: true });
    expect(readSentinel(dir)).not.toHaveProperty('expires_at');
    expect(await nobody.run('check', dir)).toMatchObject({
      holds: [{ holder: null, expiresAtMs: null }, { holder: 'me' }],
    });
  });

  test('is placed again, and lifted one by one, by whoever names its holder', async () => {
    const dir = shared({ ...STANDING, holds: [KEEPERS, { id: 'M', holder: 'me' }] });
    expect(await nobody.run('arm', dir, { holder: 'keeper' })).toMatchObject({
      armed: true,
      replaced: { id: 'K' },
      hold: { expiresAt: LATER, reason: 'kept' },
    });
    expect(await nobody.run('lift', dir, { holder: 'keeper' })).toMatchObject({ lifted: true });
    expect(holdsOf(dir)).toEqual([{ id: 'M', holder: 'me' }]);
    expect(await nobody.run('lift', dir, { holder: 'me' })).toMatchObject({ lifted: true });
    expect(await nobody.run('check', dir)).toEqual({ engaged: false, expired: false });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('under a second name keeps its bytes there', async () => {
    const dir = shared(STANDING);
    const backup = join(scopeDir(0o755), 'backup');
    linkSync(sentinelOf(dir), backup);
    await nobody.run('arm', dir, { holder: 'me' });
    await nobody.run('lift', dir, { everyone: true });
    expect(JSON.parse(readFileSync(backup, 'utf8'))).toEqual(STANDING);
  });
});

test('root’s expired sentinel is retired, and armed over', async () => {
  const dir = shared(EXPIRED);
  expect(await nobody.run('check', dir)).toEqual({ engaged: false, expired: true });
  expect(await nobody.run('retire', dir)).toMatchObject({ retired: true });
  writeSentinel(dir, EXPIRED);
  expect(await nobody.run('arm', dir, { holder: 'me' })).toMatchObject({ armed: true });
  expect(holdsOf(dir)).toMatchObject([{ holder: 'me' }]);
  expect(besideSentinel(dir)).toEqual([]);
});

describe('a hold of root’s that a dead owner had taken out', () => {
  function takenOut(body: object): string {
    const dir = shared(body);
    const owned = join(dir, TENURE, 'x.1.a.0');
    mkdirSync(owned, { recursive: true });
    chmodSync(join(dir, TENURE), 0o777);
    chmodSync(owned, 0o777);
    renameSync(sentinelOf(dir), join(owned, claimName('x.1.a.0')));
    return dir;
  }

  test('is given back by a copy', async () => {
    const dir = takenOut(STANDING);
    expect(await nobody.run('recover', dir)).toMatchObject({ settled: true });
    expect(readSentinel(dir)).toEqual(STANDING);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('stands together with what was armed since', async () => {
    const dir = takenOut(STANDING);
    await nobody.run('arm', dir, { holder: 'me' });
    expect(holdsOf(dir)).toEqual([KEEPERS, expect.objectContaining({ holder: 'me' })]);
    expect(besideSentinel(dir)).toEqual([]);
  });
});

describe('in a sticky folder', () => {
  /** As `/tmp` is: everybody may make files, and only a file's owner may remove it. */
  const sticky = (body: object | null): string => {
    const dir = scopeDir(0o1777);
    if (body !== null) {
      writeSentinel(dir, JSON.stringify(body));
      chmodSync(sentinelOf(dir), 0o644);
    }
    return dir;
  };

  test('root’s hold can be neither replaced nor lifted, and the answers say so', async () => {
    const dir = sticky(STANDING);
    expect(await nobody.run('arm', dir, { holder: 'me' })).toMatchObject({
      armed: false,
      why: 'EPERM',
      engaged: true,
      holds: [{ id: 'K' }],
    });
    expect(await nobody.run('lift', dir, { holder: 'keeper' })).toMatchObject({
      lifted: false,
      why: 'EPERM',
      remaining: [{ id: 'K' }],
    });
    expect(readSentinel(dir)).toEqual(STANDING);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('one’s own hold is placed, placed again and lifted as anywhere', async () => {
    const dir = sticky(null);
    for (let i = 0; i < 2; i++) {
      const armed = await nobody.run('arm', dir, { holder: 'me' });
      expect(armed).toMatchObject({ armed: true });
      expect(armed).not.toHaveProperty('degraded');
    }
    expect(await nobody.run('lift', dir, { holder: 'me' })).toMatchObject({ lifted: true });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('root’s expired sentinel is held, overdue: this user may not remove it', async () => {
    const dir = sticky(EXPIRED);
    expect(await nobody.run('retire', dir)).toEqual({ retired: false, why: 'EPERM' });
    expect(await nobody.run('check', dir)).toMatchObject({ engaged: true, overdue: true });
  });

  test('a tenure that root died in is taken over, and left to root to remove', async () => {
    const dir = sticky(null);
    mkdirSync(join(dir, TENURE, 'x.1.a.0'), { recursive: true });
    chmodSync(join(dir, TENURE), 0o777);
    chmodSync(join(dir, TENURE, 'x.1.a.0'), 0o777);
    expect(await nobody.run('arm', dir, { holder: 'me' })).toMatchObject({ armed: true });
    // The empty folder is root's, and no tenure can be had until whoever may remove it does.
    expect(await nobody.run('lift', dir, { holder: 'me' })).toMatchObject({
      lifted: false,
      why: 'EPERM',
    });
    await root.run('recover', dir);
    expect(await nobody.run('lift', dir, { holder: 'me' })).toMatchObject({ lifted: true });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('an empty tenure of another user’s does not prevent a stop, and does not read as busy for ever', async () => {
    const dir = sticky(null);
    mkdirSync(join(dir, TENURE));
    chmodSync(join(dir, TENURE), 0o777);
    // Two users inside one folder would not exclude each other, so there is no tenure; a stop needs none.
    expect(await nobody.run('arm', dir, { holder: 'me' })).toMatchObject({
      armed: true,
      degraded: 'direct',
      why: 'EPERM',
    });
    expect(await nobody.run('lift', dir, { holder: 'me' })).toMatchObject({
      lifted: false,
      why: 'EPERM',
    });
  });
});

test('in a shared folder one user’s tenure is taken over by another', async () => {
  const dir = shared(STANDING);
  mkdirSync(join(dir, TENURE, 'x.1.a.0'), { recursive: true });
  chmodSync(join(dir, TENURE), 0o777);
  chmodSync(join(dir, TENURE, 'x.1.a.0'), 0o777);
  chownSync(join(dir, TENURE), 0, 0);
  expect(await nobody.run('arm', dir, { holder: 'me' })).toMatchObject({ armed: true });
  expect(holdsOf(dir)).toHaveLength(2);
  expect(besideSentinel(dir)).toEqual([]);
});
