/**
 * Placing one's own hold again: what it keeps, what it replaces, and what it never touches.
 */
import { describe, expect, test } from 'vitest';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
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
} from '../support/bodies.ts';
import { besideSentinel, scopeDir } from '../support/scope-dir.ts';

const disk = nodeDisk();

describe('a re-arm', () => {
  test('keeps reason, deadline and allowlist unless they are given', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const armed = arm(disk, dir, { holder: 'keeper' });
    expect(armed).toMatchObject({ armed: true, replaced: { id: 'K' } });
    const { id, ...rest } = KEEPERS;
    expect(holdsOf(dir)).toHaveLength(1);
    const { clock: _fresh, ...again } = holdsOf(dir)[0] ?? { id: '' };
    expect(again).toEqual({ ...rest, id: armed.armed && armed.id });
    expect(armed.armed && armed.id).not.toBe(id);
  });

  test('replaces each of them alone when it is given', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    arm(disk, dir, { holder: 'keeper', reason: 'new' });
    expect(holdsOf(dir)).toMatchObject([{ ...KEEPERS, id: expect.anything(), reason: 'new' }]);
    const expiresAt = '2998-01-01T00:00:00.000+00:00';
    arm(disk, dir, { holder: 'keeper', expiresAt });
    expect(holdsOf(dir)).toMatchObject([{ reason: 'new', expires_at: expiresAt }]);
    arm(disk, dir, { holder: 'keeper', allow: { userIds: ['u9'] } });
    expect(holdsOf(dir)).toMatchObject([
      { reason: 'new', expires_at: expiresAt, allow: { user_ids: ['u9'] } },
    ]);
  });

  test('clears each of them when told to', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    arm(disk, dir, { holder: 'keeper', reason: null, expiresAt: null, allow: null });
    const [hold] = holdsOf(dir);
    expect(Object.keys(hold ?? {}).sort()).toEqual(['engaged_at', 'holder', 'id']);
  });

  test('never touches the hold of another holder', () => {
    const dir = scopeDir();
    const other = { ...KEEPERS, id: 'O', holder: 'other' };
    writeSentinel(dir, { ...STANDING, holds: [other, KEEPERS] });
    arm(disk, dir, { holder: 'keeper', reason: null, expiresAt: null, allow: null });
    expect(holdsOf(dir)).toEqual([other, expect.objectContaining({ holder: 'keeper' })]);
  });

  test('leaves one hold where the same holder had two', () => {
    const dir = scopeDir();
    writeSentinel(dir, { ...STANDING, holds: [KEEPERS, { ...KEEPERS, id: 'K2' }] });
    arm(disk, dir, { holder: 'keeper' });
    expect(holdsOf(dir)).toHaveLength(1);
  });

  test('by two holders in turn, with no options, loses nothing of either', () => {
    const dir = scopeDir();
    const allow = { userIds: ['u1'] };
    arm(disk, dir, { holder: 'a', reason: 'ra', expiresAt: LATER, allow });
    arm(disk, dir, { holder: 'b', reason: 'rb', allow: { userIds: ['u1', 'u2'] } });
    for (let turn = 0; turn < 3; turn++) {
      expect(arm(disk, dir, { holder: 'a' })).toMatchObject({ armed: true });
      expect(arm(disk, dir, { holder: 'b' })).toMatchObject({ armed: true });
    }
    expect(check(disk, dir)).toMatchObject({
      engaged: true,
      holds: [
        { holder: 'a', reason: 'ra', expiresAt: LATER, allow },
        { holder: 'b', reason: 'rb', expiresAt: null, allow: { userIds: ['u1', 'u2'] } },
      ],
    });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('takes a fresh id, so a lift of the old one finds nothing to lift', () => {
    const dir = scopeDir();
    const first = arm(disk, dir, { holder: 'me' });
    arm(disk, dir, { holder: 'me' });
    const id = first.armed ? first.id : '';
    expect(lift(disk, dir, { id })).toMatchObject({ lifted: false, why: 'not-held' });
    expect(check(disk, dir)).toMatchObject({ engaged: true });
  });
});

describe('a deadline', () => {
  test('that has passed is not inherited', () => {
    const dir = scopeDir();
    writeSentinel(dir, EXPIRED);
    expect(arm(disk, dir, { holder: 'me' })).toMatchObject({
      armed: true,
      hold: { expiresAtMs: null },
    });
  });

  test('that has passed beside a standing hold is not inherited either', () => {
    const dir = scopeDir();
    writeSentinel(dir, { ...STANDING, holds: [KEEPERS, ...EXPIRED.holds] });
    expect(arm(disk, dir, { holder: 'me' })).toMatchObject({
      armed: true,
      replaced: null,
      hold: { expiresAtMs: null, reason: null },
    });
    expect(holdsOf(dir)).toHaveLength(2);
  });

  test('that passes while the re-arm is under way is not inherited either', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    let passedMs = 0;
    const late = {
      ...disk,
      now: () => disk.now() + passedMs,
      uptime() {
        const uptime = disk.uptime();
        return uptime === null ? null : { ...uptime, ms: uptime.ms + passedMs };
      },
      rename(from: string, to: string) {
        disk.rename(from, to);
        if (to === sentinelOf(dir)) passedMs = Date.parse(LATER) + 1 - disk.now();
      },
    };
    expect(arm(late, dir, { holder: 'keeper' })).toMatchObject({
      armed: true,
      hold: { expiresAtMs: null },
    });
    expect(check(late, dir)).toMatchObject({ engaged: true });
    expect(besideSentinel(dir)).toEqual([]);
  });
});

describe('what this version does not know', () => {
  const unknown = {
    ...STANDING,
    schema: { version: 9, list: [1, null, 'x'] },
    '': 'an empty name',
    holds: [{ ...KEEPERS, ticket: { nested: [true] }, note: '\u2028' }],
  };

  test.each(['keeper', 'me'])('survives an arm by %s, at both levels', (holder) => {
    const dir = scopeDir();
    writeSentinel(dir, unknown);
    expect(arm(disk, dir, { holder })).toMatchObject({ armed: true });
    expect(readSentinel(dir)).toMatchObject({ schema: unknown.schema, '': 'an empty name' });
    expect(holdsOf(dir)[0]).toMatchObject({ ticket: { nested: [true] }, note: '\u2028' });
  });

  test('survives a lift of another hold', () => {
    const dir = scopeDir();
    writeSentinel(dir, unknown);
    arm(disk, dir, { holder: 'me' });
    expect(lift(disk, dir, { holder: 'me' })).toMatchObject({ lifted: true });
    expect(readSentinel(dir)).toMatchObject({ schema: unknown.schema });
    expect(holdsOf(dir)).toEqual(unknown.holds);
  });

  test('survives under names that an object of the language would swallow', () => {
    const dir = scopeDir();
    const odd = '"__proto__":{"a":1},"constructor":"c","toString":null';
    writeSentinel(dir, `{${odd},"holds":[{"id":"K","holder":"keeper",${odd}}]}`);
    arm(disk, dir, { holder: 'me' });
    arm(disk, dir, { holder: 'keeper' });
    expect(textOf(dir).split(odd)).toHaveLength(3);
  });

  test('survives to the last digit and letter of every number', () => {
    const dir = scopeDir();
    const numbers = '"n":[9007199254740993,-0,1.0,1e400,1E5,0.10,123456789012345678901234567890]';
    writeSentinel(dir, `{${numbers},"holds":[{"id":"K","holder":"keeper",${numbers}}]}`);
    arm(disk, dir, { holder: 'me' });
    arm(disk, dir, { holder: 'keeper' });
    lift(disk, dir, { holder: 'me' });
    expect(textOf(dir).split(numbers)).toHaveLength(3);
  });
});

describe('ids that are numbers beyond 2^53', () => {
  const big = '9007199254740993';

  test('stay the number they were when another holder arms', () => {
    const dir = scopeDir();
    writeSentinel(dir, `{"holds":[{"id":"K","holder":"k","allow":{"user_ids":[${big}]}}]}`);
    arm(disk, dir, { holder: 'me', allow: { userIds: [big] } });
    expect(textOf(dir)).toContain(`{"id":"K","holder":"k","allow":{"user_ids":[${big}]}}`);
    expect(check(disk, dir)).toMatchObject({ topAllow: { userIds: [big] } });
  });

  test('match only their exact text, also after a re-arm inherited them', () => {
    const dir = scopeDir();
    writeSentinel(dir, `{"holds":[{"id":"K","holder":"k","allow":{"user_ids":[${big}]}}]}`);
    arm(disk, dir, { holder: 'k' });
    expect(check(disk, dir)).toMatchObject({ holds: [{ allow: { userIds: [big] } }] });
    expect(textOf(dir)).not.toContain('9007199254740992');
  });

  test('as a generation fence a lift by their exact text alone', () => {
    const dir = scopeDir();
    writeSentinel(dir, `{"generation":${big},"holds":[{"id":"K","holder":"k"}]}`);
    const near = lift(disk, dir, { everyone: true }, { ifGeneration: '9007199254740992' });
    expect(near).toMatchObject({ lifted: false, why: 'superseded' });
    expect(lift(disk, dir, { everyone: true }, { ifGeneration: big })).toMatchObject({
      lifted: true,
    });
  });
});
