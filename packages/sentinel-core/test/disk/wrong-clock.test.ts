/**
 * A process whose wall clock is wrong: it ends nobody's hold, neither for others nor at its own gate.
 * When a deadline has passed is `../model/deadline.test.ts`.
 */
import { describe, expect, test } from 'vitest';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { MAX_HOLDERS } from '../../src/disk/limits.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import type { DiskPort } from '../../src/disk/port.ts';
import { retire } from '../../src/disk/retire.ts';
import {
  holdsOf,
  inSeconds,
  KEEPERS,
  readSentinel,
  STANDING,
  writeSentinel,
} from '../support/bodies.ts';
import { withoutLinks } from '../support/ports.ts';
import { besideSentinel, scopeDir } from '../support/scope-dir.ts';

const disk = nodeDisk();
const HOUR = 3_600_000;

/** The same disk, as a process sees it whose wall clock is ahead. */
const ahead = (ms: number): DiskPort => ({ ...disk, now: () => disk.now() + ms });
const TWO_HOURS_AHEAD = ahead(2 * HOUR);

/** The same disk when that much time has passed indeed. */
const later = (ms: number): DiskPort => ({
  ...ahead(ms),
  uptime() {
    const uptime = disk.uptime();
    return uptime === null ? null : { ...uptime, ms: uptime.ms + ms };
  },
});

/** A hold of the keeper's for an hour, placed by us, and stamped. */
const stamped = (dir: string) =>
  arm(disk, dir, { holder: 'keeper', expiresAt: inSeconds(3_600), reason: 'kept' });

const noBoot = disk.uptime() === null ? 'this platform names no boot' : undefined;

describe('a clock that is two hours ahead', () => {
  test.skipIf(noBoot !== undefined)('does not admit work under a live hold', () => {
    const dir = scopeDir();
    stamped(dir);
    expect(check(TWO_HOURS_AHEAD, dir)).toMatchObject({
      engaged: true,
      holds: [{ reason: 'kept' }],
    });
    expect(retire(TWO_HOURS_AHEAD, dir)).toEqual({ retired: false, why: 'active' });
  });

  test.skipIf(noBoot !== undefined)(
    'shows a live hold as remaining, when another is placed and lifted',
    () => {
      const dir = scopeDir();
      stamped(dir);
      const armed = arm(TWO_HOURS_AHEAD, dir, { holder: 'other' });
      expect(armed).toMatchObject({
        armed: true,
        holds: [{ holder: 'keeper' }, { holder: 'other' }],
      });
      expect(lift(TWO_HOURS_AHEAD, dir, { holder: 'other' })).toMatchObject({
        lifted: true,
        remaining: [{ holder: 'keeper' }],
      });
      expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ holder: 'keeper' }] });
    },
  );

  test.each([
    ['of another tool', { ...STANDING, holds: [] }, null],
    ['of another host', STANDING, 'keeper'],
  ])('arms beside the live hold %s, which stands for everybody else', (_, body, holder) => {
    const dir = scopeDir();
    writeSentinel(dir, body);
    const armed = arm(TWO_HOURS_AHEAD, dir, { holder: 'other' });
    expect(armed).toMatchObject({ armed: true, holds: [{ holder: 'other' }] });
    expect(check(disk, dir)).toMatchObject({
      engaged: true,
      holds: [{ holder }, { holder: 'other' }],
    });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('lifts its own hold, and the live one beside it stands for everybody else', () => {
    const dir = scopeDir();
    writeSentinel(dir, {
      ...STANDING,
      holds: [KEEPERS, { id: 'M', holder: 'me' }],
      expires_at: undefined,
    });
    expect(lift(TWO_HOURS_AHEAD, dir, { holder: 'me' })).toMatchObject({
      lifted: true,
      holds: [{ id: 'M' }],
      remaining: [],
    });
    expect(holdsOf(dir)).toEqual([KEEPERS]);
    expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ id: 'K' }] });
    expect(check(TWO_HOURS_AHEAD, dir)).toEqual({ engaged: false, expired: true });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('arms beside a live hold where hard links are refused, too', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    expect(arm(withoutLinks(TWO_HOURS_AHEAD), dir, { holder: 'other' })).toMatchObject({
      armed: true,
    });
    expect(holdsOf(dir)).toMatchObject([KEEPERS, { holder: 'other' }]);
  });

  test('removes nothing for somebody who asks for certainty', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    expect(retire(TWO_HOURS_AHEAD, dir, { certain: true })).toEqual({
      retired: false,
      why: 'uncertain',
    });
    expect(readSentinel(dir)).toEqual(STANDING);
    expect(retire(ahead(26 * HOUR), dir, { certain: true })).toMatchObject({ retired: true });
  });

  test('keeps the allowlist of the top level as narrow as that of the hold it cannot judge', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    arm(TWO_HOURS_AHEAD, dir, { holder: 'other', allow: { userIds: ['u2', 'u3'] } });
    expect(readSentinel(dir).allow).toEqual({ user_ids: ['u2'], profiles: ['lane-a'] });
  });
});

describe('a hold whose deadline has passed', () => {
  test.skipIf(noBoot !== undefined)(
    'by the time since the boot is dropped by the next arm or lift',
    () => {
      const dir = scopeDir();
      stamped(dir);
      const hourLater = later(HOUR);
      expect(check(hourLater, dir)).toEqual({ engaged: false, expired: true });
      arm(hourLater, dir, { holder: 'other' });
      expect(holdsOf(dir)).toMatchObject([{ holder: 'other' }]);
    },
  );

  test('more than a day ago is dropped by the next arm or lift', () => {
    const dir = scopeDir();
    const expires_at = inSeconds(-24 * 3_600 - 1);
    writeSentinel(dir, { expires_at, holds: [{ ...KEEPERS, expires_at }] });
    arm(disk, dir, { holder: 'other' });
    expect(holdsOf(dir)).toMatchObject([{ holder: 'other' }]);
  });

  test('is replaced by its own holder’s next one, and lifted with it', () => {
    const dir = scopeDir();
    const over = { ...KEEPERS, expires_at: inSeconds(-60) };
    writeSentinel(dir, { holds: [over, { id: 'M', holder: 'me' }] });
    arm(disk, dir, { holder: 'keeper' });
    expect(holdsOf(dir)).toMatchObject([{ id: 'M' }, { holder: 'keeper' }]);
    writeSentinel(dir, {
      holds: [over, { id: 'K2', holder: 'keeper' }, { id: 'M', holder: 'me' }],
    });
    lift(disk, dir, { holder: 'keeper' });
    expect(holdsOf(dir)).toEqual([{ id: 'M', holder: 'me' }]);
  });

  test('gives way where a body has too many: the one that expired first goes first', () => {
    const dir = scopeDir();
    const holds = Array.from({ length: MAX_HOLDERS }, (_, i) => ({ id: `i${i}`, holder: `h${i}` }));
    const over = (id: string, seconds: number) => ({
      id,
      holder: id,
      expires_at: inSeconds(seconds),
    });
    const older = over('older', -120);
    const newer = over('newer', -60);
    writeSentinel(dir, { holds: [newer, older, ...holds.slice(2)] });
    expect(arm(disk, dir, { holder: 'me' })).toMatchObject({ armed: true });
    expect(holdsOf(dir)).toHaveLength(MAX_HOLDERS);
    expect(holdsOf(dir)).toContainEqual(newer);
    expect(holdsOf(dir)).not.toContainEqual(older);
  });
});

describe('a clock that is set forward over a deadline', () => {
  test.skipIf(noBoot !== undefined)(
    'does not end the hold, and neither does a re-arm that keeps its deadline',
    () => {
      const dir = scopeDir();
      stamped(dir);
      const again = arm(TWO_HOURS_AHEAD, dir, { holder: 'keeper', reason: 'another' });
      expect(again).toMatchObject({ armed: true, replaced: { reason: 'kept' } });
      expect(check(TWO_HOURS_AHEAD, dir)).toMatchObject({ holds: [{ reason: 'another' }] });
      expect(check(later(3 * HOUR), dir)).toEqual({ engaged: false, expired: true });
    },
  );
});
