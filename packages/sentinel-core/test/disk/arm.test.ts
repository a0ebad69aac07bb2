/**
 * Placing a hold where this holder had none.
 * Placing it again is `re-arm.test.ts`.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chdir, cwd } from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { claimName, TENURE } from '../../src/disk/names.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { recover } from '../../src/disk/recover.ts';
import {
  EXPIRED,
  holdsOf,
  KEEPERS,
  LATER,
  PASSED,
  readSentinel,
  STANDING,
  writeSentinel,
} from '../support/bodies.ts';
import { ofDeadProcess } from '../support/ports.ts';
import { besideSentinel, scopeDir } from '../support/scope-dir.ts';

const disk = nodeDisk();

describe('arming where nothing holds', () => {
  test('the answer is what stands on disk, and the gate is held', () => {
    const dir = scopeDir();
    const actor = { user: 'ops', host: 'h', pid: 7, via: 'fleet pause' };
    const allow = { userIds: ['u1'], profiles: ['lane-a'] };
    const armed = arm(disk, dir, { holder: 'me', reason: 'why', expiresAt: LATER, allow, actor });

    const [hold] = holdsOf(dir);
    expect(armed).toMatchObject({ armed: true, id: hold?.id, replaced: null });
    expect(armed).not.toHaveProperty('degraded');
    expect(hold).toMatchObject({
      holder: 'me',
      reason: 'why',
      expires_at: LATER,
      allow: { user_ids: ['u1'], profiles: ['lane-a'] },
      actor,
    });
    expect(readSentinel(dir)).toMatchObject({
      generation: armed.generation,
      engaged_at: hold?.engaged_at,
      reason: 'why',
      expires_at: LATER,
      allow: { user_ids: ['u1'], profiles: ['lane-a'] },
    });
    expect(check(disk, dir)).toMatchObject({
      engaged: true,
      generation: armed.generation,
      holds: [{ id: armed.armed && armed.id, holder: 'me', actor }],
    });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('a hold that says nothing more is the operator’s, never expires and admits nobody', () => {
    const dir = scopeDir();
    expect(arm(disk, dir, {})).toMatchObject({
      armed: true,
      hold: { holder: 'operator', reason: null, expiresAtMs: null, allow: null, actor: null },
    });
    expect(readSentinel(dir)).not.toHaveProperty('expires_at');
    expect(readSentinel(dir)).not.toHaveProperty('allow');
  });

  test('a deadline that cannot be read arms a hold that never expires', () => {
    const dir = scopeDir();
    const armed = arm(disk, dir, { expiresAt: 'next tuesday' });
    expect(armed).toMatchObject({ armed: true, hold: { expiresAtMs: null } });
    expect(readSentinel(dir)).not.toHaveProperty('expires_at');
  });

  test('a deadline already passed is never reported as armed', () => {
    const dir = scopeDir();
    expect(arm(disk, dir, { expiresAt: PASSED })).toMatchObject({ armed: false, engaged: false });
    expect(check(disk, dir)).toMatchObject({ engaged: false });
  });

  test('every arm takes a fresh id and a fresh generation', () => {
    const dir = scopeDir();
    const armed = [1, 2, 3, 4].map(() => arm(disk, dir, { holder: 'me' }));
    expect(new Set(armed.map((answer) => answer.armed && answer.id)).size).toBe(4);
    expect(new Set(armed.map((answer) => answer.generation)).size).toBe(4);
  });

  test('an expired sentinel is replaced, and nothing of its holds is inherited', () => {
    const dir = scopeDir();
    writeSentinel(dir, EXPIRED);
    const armed = arm(disk, dir, { holder: 'me' });
    expect(armed).toMatchObject({ armed: true, replaced: null, hold: { reason: null } });
    expect(holdsOf(dir)).toHaveLength(1);
    expect(readSentinel(dir)).not.toHaveProperty('expires_at');
  });

  test('a folder that is not there cannot be armed, and the answer says so', () => {
    const dir = join(scopeDir(), 'gone');
    expect(arm(disk, dir, {})).toMatchObject({ armed: false, why: 'ENOENT', engaged: false });
  });

  test('an empty path is the current folder', () => {
    const dir = scopeDir();
    const home = cwd();
    onTestFinished(() => chdir(home));
    chdir(dir);
    expect(arm(disk, '', { holder: 'me' })).toMatchObject({ armed: true });
    expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ holder: 'me' }] });
    expect(check(disk, '')).toEqual(check(disk, dir));
    expect(lift(disk, '', { holder: 'me' })).toMatchObject({ lifted: true });
    expect(recover(disk, '')).toEqual({ settled: true, swept: [] });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('a scope whose folder is a file cannot be armed, and the answer says so', () => {
    const dir = join(scopeDir(), 'file');
    writeFileSync(dir, '');
    expect(arm(disk, dir, {})).toMatchObject({ armed: false, why: 'ENOTDIR', engaged: false });
  });
});

describe('arming beside other holds', () => {
  test('a hold of another holder stands on, field for field', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const armed = arm(disk, dir, { holder: 'me', reason: 'mine' });
    expect(armed).toMatchObject({ armed: true, replaced: null });
    expect(holdsOf(dir)).toEqual([KEEPERS, expect.objectContaining({ holder: 'me' })]);
  });

  test('the top level says the latest deadline, the common allowlist and all reasons', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const expiresAt = '2999-01-01T00:00:00.000+00:00';
    arm(disk, dir, { holder: 'me', reason: 'mine', expiresAt, allow: { userIds: ['u2', 'u3'] } });
    expect(readSentinel(dir)).toMatchObject({
      engaged_at: KEEPERS.engaged_at,
      expires_at: expiresAt,
      reason: 'kept; mine',
      allow: { user_ids: ['u2'], profiles: ['lane-a'] },
    });
    arm(disk, dir, { holder: 'third' });
    expect(readSentinel(dir)).not.toHaveProperty('expires_at');
    expect(readSentinel(dir)).not.toHaveProperty('allow');
  });

  test.each([
    ['an empty file', '', {}],
    ['a torn body', '{"reason": "ha', {}],
    [
      'a body of an older tool',
      JSON.stringify({ generation: 'old', reason: 'r', allow: { user_ids: ['u'] } }),
      { id: 'old', reason: 'r', allow: { user_ids: ['u'] } },
    ],
  ])('%s is nobody’s to inherit from: the new hold stands beside it', (_what, text, kept) => {
    const dir = scopeDir();
    writeSentinel(dir, text);
    const armed = arm(disk, dir, { holder: 'operator', reason: 'mine' });
    expect(armed).toMatchObject({ armed: true, replaced: null, hold: { allow: null } });
    const [anonymous, mine] = holdsOf(dir);
    expect(anonymous).not.toHaveProperty('holder');
    expect(anonymous).toMatchObject(kept);
    expect(mine).toMatchObject({ holder: 'operator', reason: 'mine' });
    // What the anonymous hold left open is closed by ours.
    expect(readSentinel(dir)).not.toHaveProperty('allow');
    expect(check(disk, dir)).toMatchObject({ engaged: true, holds: { length: 2 } });
  });

  test('an entry that cannot be read stays a hold that never expires', () => {
    const dir = scopeDir();
    writeSentinel(dir, `{"expires_at": "${PASSED}", "holds": [5, "x", {"no": "id"}]}`);
    expect(arm(disk, dir, { holder: 'me', expiresAt: LATER })).toMatchObject({ armed: true });
    expect(check(disk, dir)).toMatchObject({
      engaged: true,
      holds: [
        { holder: null, expiresAtMs: null, allow: null },
        { holder: null, expiresAtMs: null, allow: null },
        { holder: null, expiresAtMs: null, allow: null },
        { holder: 'me' },
      ],
    });
    expect(readSentinel(dir)).not.toHaveProperty('expires_at');
  });
});

describe('arming where somebody is at work', () => {
  test('the tenure of an owner that is alive and does not move is taken over when the patience ends', () => {
    const dir = scopeDir();
    mkdirSync(join(dir, TENURE, disk.token()), { recursive: true });
    let pausedMs = 0;
    const counting = {
      ...disk,
      pause(attempt: number) {
        const began = performance.now();
        disk.pause(attempt);
        pausedMs += performance.now() - began;
      },
    };
    const answer = arm(counting, dir, { holder: 'me' }, { waitMs: 60 });
    expect(answer).toMatchObject({ armed: true });
    expect(answer).not.toHaveProperty('degraded');
    expect(pausedMs).toBeGreaterThan(30);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('what a dead owner had taken out is given back, and ours stands beside it', () => {
    const dir = scopeDir();
    const token = ofDeadProcess(disk).token();
    mkdirSync(join(dir, TENURE, token), { recursive: true });
    writeFileSync(join(dir, TENURE, token, claimName(token)), JSON.stringify(STANDING));
    expect(arm(disk, dir, { holder: 'me' })).toMatchObject({ armed: true });
    expect(holdsOf(dir)).toEqual([KEEPERS, expect.objectContaining({ holder: 'me' })]);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test.each([
    ['a file', (path: string) => writeFileSync(path, 'junk')],
    ['an empty folder', (path: string) => mkdirSync(path)],
    ['a link to a folder', (path: string) => symlinkSync('/', path)],
    ['a dangling link', (path: string) => symlinkSync('/nowhere/at/all', path)],
  ])("%s in the tenure's place is cleared away", (_what, place) => {
    const dir = scopeDir();
    place(join(dir, TENURE));
    expect(arm(disk, dir, { holder: 'me' })).toMatchObject({ armed: true });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('a file in a tenure, where an owner should be, does not stop an arm', () => {
    const dir = scopeDir();
    mkdirSync(join(dir, TENURE));
    writeFileSync(join(dir, TENURE, 'junk'), '');
    expect(arm(disk, dir, { holder: 'me' })).toMatchObject({ armed: true });
    expect(check(disk, dir)).toMatchObject({ engaged: true });
    expect(holdsOf(dir)).toHaveLength(1);
  });
});
