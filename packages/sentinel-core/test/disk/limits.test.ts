/**
 * How much one sentinel carries, and what gives way first.
 */
import { describe, expect, test } from 'vitest';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { MAX_HOLDERS, MAX_REASON } from '../../src/disk/limits.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { MAX_BODY_BYTES } from '../../src/model/body.ts';
import {
  EXPIRED,
  type HoldJson,
  holdsOf,
  inSeconds,
  LATER,
  readSentinel,
  STANDING,
  textOf,
  writeSentinel,
} from '../support/bodies.ts';
import { besideSentinel, scopeInMemory } from '../support/scope-dir.ts';

const disk = nodeDisk();
/** Pure ASCII, so that a character is a byte. */
const LONG = 'r'.repeat(9 * 1024);
const HUGE_ALLOW = { userIds: Array.from({ length: 9_000 }, (_, i) => `user-${i}`) };

describe('holders', () => {
  test('64 stand side by side; a 65th is refused, and the scope is held all the same', () => {
    const dir = scopeInMemory();
    for (let i = 0; i < MAX_HOLDERS; i++) {
      expect(arm(disk, dir, { holder: `h${i}`, expiresAt: inSeconds(1_000 + i) })).toMatchObject({
        armed: true,
      });
    }
    const before = textOf(dir);
    expect(arm(disk, dir, { holder: 'one-more' })).toMatchObject({
      armed: false,
      why: 'too-many-holders',
      engaged: true,
      holds: { length: 64 },
    });
    expect(textOf(dir)).toBe(before);
    // One that is among them may still be placed again, and one that leaves makes room.
    expect(arm(disk, dir, { holder: 'h3', reason: 'again' })).toMatchObject({ armed: true });
    expect(lift(disk, dir, { holder: 'h0' })).toMatchObject({ lifted: true });
    expect(arm(disk, dir, { holder: 'one-more' })).toMatchObject({ armed: true });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('more than 1,024 that others wrote are one hold, which cannot be read and holds', () => {
    const dir = scopeInMemory();
    const bodyOf = (count: number) => ({
      holds: Array.from({ length: count }, (_, at) => ({ id: `${at}` })),
    });
    writeSentinel(dir, bodyOf(1_024));
    expect(check(disk, dir)).toMatchObject({ engaged: true, holds: { length: 1_024 } });
    writeSentinel(dir, bodyOf(1_025));
    expect(check(disk, dir)).toMatchObject({
      engaged: true,
      holds: [{ holder: null, allow: null, unreadable: 'too-many-holds' }],
    });
    expect(lift(disk, dir, { everyone: true })).toMatchObject({ lifted: true });
  });

  test('a holder that has expired makes room', () => {
    const dir = scopeInMemory();
    const holds = Array.from({ length: 64 }, (_, i) => ({ id: `i${i}`, holder: `h${i}` }));
    const [over] = EXPIRED.holds;
    writeSentinel(dir, { holds: [...holds.slice(1), { ...over, id: 'X' }] });
    expect(arm(disk, dir, { holder: 'one-more' })).toMatchObject({ armed: true });
  });

  test('one of more than 64 that others wrote can be lifted, though the rest stay too many', () => {
    const dir = scopeInMemory();
    const holds = Array.from({ length: 70 }, (_, i) => ({ id: `i${i}`, holder: `h${i}` }));
    writeSentinel(dir, { holds });
    const answer = lift(disk, dir, { holder: 'h0' });
    expect(answer).toMatchObject({ lifted: true });
    expect(holdsOf(dir)).toHaveLength(69);
  });
});

describe('reasons', () => {
  test('a longer one than 1,024 characters is cut, marked and said to be', () => {
    const dir = scopeInMemory();
    const armed = arm(disk, dir, { reason: LONG });
    expect(armed).toMatchObject({ armed: true, shortened: true });
    const reason = armed.armed ? (armed.hold.reason ?? '') : '';
    expect(reason).toHaveLength(MAX_REASON);
    expect(reason).toMatch(/^r+ \[…\]$/);
    expect(holdsOf(dir)).toMatchObject([{ reason }]);
  });

  test('one of exactly 1,024 characters is not', () => {
    const dir = scopeInMemory();
    const reason = 'r'.repeat(MAX_REASON);
    const armed = arm(disk, dir, { reason });
    expect(armed).toMatchObject({ hold: { reason } });
    expect(armed).not.toHaveProperty('shortened');
  });

  test('no character outside the basic plane is cut in half', () => {
    for (const pad of ['', 'x', 'xx', 'xxx']) {
      const dir = scopeInMemory();
      arm(disk, dir, { reason: pad + '🛑'.repeat(MAX_REASON) });
      // Half a pair is written as an escape, and a whole one as it is.
      expect(textOf(dir)).not.toMatch(/\\ud[89a-f]/i);
      expect(holdsOf(dir)[0]?.reason).toMatch(/🛑 \[…\]$/);
    }
  });

  test('eight holders with 9 KB reasons stay under the limit, every deadline and allowlist intact', () => {
    const dir = scopeInMemory();
    const asked = Array.from({ length: 8 }, (_, i) => ({
      holder: `h${i}`,
      reason: LONG,
      expiresAt: inSeconds(1_000 + i),
      allow: { userIds: ['u', `u${i}`] },
    }));
    for (const request of asked) expect(arm(disk, dir, request)).toMatchObject({ armed: true });
    expect(Buffer.byteLength(textOf(dir))).toBeLessThanOrEqual(MAX_BODY_BYTES);
    expect(check(disk, dir)).toMatchObject({
      engaged: true,
      topAllow: { userIds: ['u'] },
      holds: asked.map(({ holder, expiresAt, allow }) => ({ holder, expiresAt, allow })),
    });
    expect(readSentinel(dir).expires_at).toBe(asked.at(-1)?.expiresAt);
  });

  test('of others, up to the limit, give way to one more holder: the joined one first, then each', () => {
    const dir = scopeInMemory();
    const holds: HoldJson[] = Array.from({ length: 7 }, (_, i) => ({
      id: `i${i}`,
      holder: `h${i}`,
      reason: LONG.slice(0, 9_000),
      expires_at: inSeconds(1_000 + i),
      allow: { user_ids: ['u'] },
    }));
    writeSentinel(dir, { generation: 'G', holds });
    expect(arm(disk, dir, { holder: 'me', reason: LONG })).toMatchObject({ armed: true });
    expect(Buffer.byteLength(textOf(dir))).toBeLessThanOrEqual(MAX_BODY_BYTES);
    expect(readSentinel(dir)).not.toHaveProperty('reason');
    const kept = holdsOf(dir);
    expect(kept).toHaveLength(8);
    for (const [i, { reason: _reason, ...rest }] of holds.entries()) {
      expect(kept[i]).toMatchObject(rest);
    }
  });

  test('of 64 holders at the limit give way until the body fits, and no deadline does', () => {
    const dir = scopeInMemory();
    for (let i = 0; i < MAX_HOLDERS; i++) {
      const request = { holder: `h${i}`, reason: '€'.repeat(MAX_REASON), expiresAt: LATER };
      expect(arm(disk, dir, request)).toMatchObject({ armed: true, holds: { length: i + 1 } });
    }
    expect(Buffer.byteLength(textOf(dir))).toBeLessThanOrEqual(MAX_BODY_BYTES);
    expect(holdsOf(dir).map((hold) => hold.expires_at)).toEqual(Array(64).fill(LATER));
  });
});

describe('an allowlist that fits no body', () => {
  test('over nothing leaves an empty sentinel: stricter than asked, and said so', () => {
    const dir = scopeInMemory();
    expect(arm(disk, dir, { holder: 'me', allow: HUGE_ALLOW })).toMatchObject({
      armed: true,
      degraded: 'empty',
      why: 'too-large',
      hold: { holder: null, allow: null, expiresAtMs: null },
    });
    expect(textOf(dir)).toBe('');
    expect(check(disk, dir)).toMatchObject({ engaged: true });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('over an expired sentinel does the same', () => {
    const dir = scopeInMemory();
    writeSentinel(dir, EXPIRED);
    expect(arm(disk, dir, { holder: 'me', allow: HUGE_ALLOW })).toMatchObject({
      armed: true,
      degraded: 'empty',
      why: 'too-large',
    });
    expect(check(disk, dir)).toMatchObject({ engaged: true });
  });

  test.each(['me', 'keeper'])('over a standing hold is refused to %s, and it stands', (holder) => {
    const dir = scopeInMemory();
    writeSentinel(dir, STANDING);
    expect(arm(disk, dir, { holder, allow: HUGE_ALLOW })).toMatchObject({
      armed: false,
      why: 'too-large',
      engaged: true,
      holds: [{ id: 'K' }],
    });
    expect(readSentinel(dir)).toEqual(STANDING);
    expect(besideSentinel(dir)).toEqual([]);
  });
});
