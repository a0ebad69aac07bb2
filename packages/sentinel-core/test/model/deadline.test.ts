/**
 * When a deadline has passed: by the wall clock, unless the time since the boot contradicts.
 */
import { describe, expect, it } from 'vitest';
import { holdOf } from '../../src/model/body.ts';
import { clockAt, hasExpired, hasSurelyExpired, stampFor } from '../../src/model/deadline.ts';
import { type JsonValue, NumberText } from '../../src/model/json.ts';
import { NOW } from './arbitrary-bodies.ts';

const HOUR = 3_600_000;
const number = (ms: number) => new NumberText(String(ms));
/** An hour's deadline, set at `NOW` when the machine had been up for a day. */
const UP = 24 * HOUR;
const STAMP = { boot: 'b', uptime_ms: number(UP), wall_ms: number(NOW) };
const holdWith = (clock: JsonValue) =>
  holdOf({ id: 'i', expires_at: new Date(NOW + HOUR).toISOString(), clock });

/** So much later by the wall clock, and by the clock of the boot. */
const later = (wallMs: number, bootMs: number, boot = 'b') =>
  clockAt(NOW + wallMs, { uptime: () => ({ boot, ms: UP + bootMs }) });

describe('a deadline that was set in this boot', () => {
  it.each([
    ['both clocks are past it', 1, 1, true],
    ['neither is', 0.9, 0.9, false],
    ['only the wall clock is: it was set forward', 3, 0.5, false],
    ['only the time since the boot is: the wall clock was set back', 0.5, 3, false],
  ])('has passed only if both clocks say so: %s', (_, wall, boot, has) => {
    expect(hasExpired(holdWith(STAMP), later(wall * HOUR, boot * HOUR))).toBe(has);
  });

  it('may lack two seconds by the time since the boot: a leap second, a coarse uptime', () => {
    const hold = holdWith(STAMP);
    expect(hasExpired(hold, later(HOUR, HOUR - 2_000))).toBe(true);
    expect(hasExpired(hold, later(HOUR, HOUR - 2_001))).toBe(false);
  });

  it('has not passed while nobody can look which boot this is, and is given no stamp', () => {
    const clock = later(3 * HOUR, 3 * HOUR, '');
    expect(hasExpired(holdWith(STAMP), clock)).toBe(false);
    expect(hasSurelyExpired(holdWith(STAMP), clock)).toBe(false);
    expect(hasExpired(holdWith({ ...STAMP, boot: '' }), clock)).toBe(false);
    expect(stampFor(undefined, { ...clock, now: () => NOW })).toBe(null);
  });

  it('has surely passed as soon as both clocks say so', () => {
    expect(hasSurelyExpired(holdWith(STAMP), later(HOUR, HOUR))).toBe(true);
  });

  it('costs no look at the uptime while the wall clock says that it is to come', () => {
    const clock = clockAt(NOW, { uptime: () => expect.fail('the uptime was asked') });
    expect(hasExpired(holdWith(STAMP), clock)).toBe(false);
    expect(hasExpired(holdOf({ id: 'i' }), clock)).toBe(false);
  });

  it('costs one look at the uptime for all the holds of a body', () => {
    let looks = 0;
    const clock = clockAt(NOW + HOUR, {
      uptime() {
        looks += 1;
        return null;
      },
    });
    for (let i = 0; i < 3; i++) hasExpired(holdWith(STAMP), clock);
    expect(looks).toBe(1);
  });
});

describe.each<[string, JsonValue]>([
  ['no stamp', null],
  ['the stamp of another boot', { ...STAMP, boot: 'another' }],
  ['a stamp from the future of this boot', { ...STAMP, uptime_ms: number(UP + 10 * HOUR) }],
  ['a stamp that is a text', 'b'],
  ['a stamp that is a list', [STAMP]],
  ['a stamp without a boot', { uptime_ms: STAMP.uptime_ms, wall_ms: STAMP.wall_ms }],
  ['a stamp whose numbers are texts', { ...STAMP, uptime_ms: '1', wall_ms: '2' }],
  ['a stamp with a negative number', { ...STAMP, uptime_ms: number(-1) }],
  ['a stamp with a number beyond all numbers', { ...STAMP, wall_ms: new NumberText('1e999') }],
])('of a deadline with %s', (_, clock) => {
  it('the wall clock alone judges', () => {
    expect(hasExpired(holdWith(clock), later(HOUR, 0))).toBe(true);
    expect(hasExpired(holdWith(clock), later(HOUR - 1, 9 * HOUR))).toBe(false);
  });

  it('nobody is sure before a day is over', () => {
    expect(hasSurelyExpired(holdWith(clock), later(25 * HOUR - 1, 0))).toBe(false);
    expect(hasSurelyExpired(holdWith(clock), later(25 * HOUR, 0))).toBe(true);
  });
});

describe('the stamp that is written', () => {
  const clocks = { now: () => NOW, uptime: () => ({ boot: 'b', ms: UP }) };
  const fresh = { boot: 'b', uptimeMs: UP, wallMs: NOW };

  it('is of this moment', () => {
    expect(stampFor(undefined, clocks)).toEqual(fresh);
  });

  it('stays with a deadline that is kept, so that a jump of the clock does not end it', () => {
    const kept = { boot: 'b', uptimeMs: 5, wallMs: 7 };
    expect(stampFor(kept, clocks)).toEqual(kept);
  });

  it('is of this moment where the kept one is of another boot', () => {
    expect(stampFor({ boot: 'a', uptimeMs: 5, wallMs: 7 }, clocks)).toEqual(fresh);
  });

  it('is none where the platform names no boot', () => {
    expect(stampFor(fresh, { ...clocks, uptime: () => null })).toBeNull();
  });
});
