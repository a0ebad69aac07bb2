/**
 * What the watcher logs and does when the host's clock is set.
 */
import { join } from 'node:path';
import { arm, check, formatInstant } from '@fleet-estop/sentinel-core';
import { beforeEach, expect, test } from 'vitest';
import { clockSteps } from '../../src/observe/clock-steps.ts';
import { clockedDisk, disk, makeRoot, watched } from '../support/watched.ts';

const HOUR = 3_600_000;

beforeEach(({ skip }) => skip(disk.uptime() === null, 'this platform names no boot'));

test('a clock that is set forward is an event and a warning, and no live hold is over', async () => {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  arm(disk, home, { expiresAt: formatInstant(Date.now() + HOUR) });
  const clocked = clockedDisk();
  let sweeps = 0;
  const swept = () => {
    sweeps += 1;
  };
  const seen = watched(root, { disk: clocked, sweepMs: 30, swept });
  clocked.setByMs = 2 * HOUR;
  const { subject, data } = await seen.untilEvent('clock.stepped');
  const { from, to, by_ms: byMs } = data as Record<string, string | number>;
  expect(subject).toBe('clock');
  expect(Math.abs(Number(byMs) - 2 * HOUR)).toBeLessThan(500);
  expect(Date.parse(String(to)) - Date.parse(String(from))).toBe(byMs);
  expect(await seen.untilLogged('clock of this host was set')).toMatchObject({ level: 'warn' });
  const before = sweeps;
  await expect.poll(() => sweeps).toBeGreaterThan(before + 2);
  expect(seen.events.map(({ type }) => type)).toEqual(['clock.stepped']);
  expect(check(clocked, home)).toMatchObject({ engaged: true });
});

test('it is said once for each time that it is set', async () => {
  const root = makeRoot();
  const clocked = clockedDisk();
  const seen = watched(root, { disk: clocked, sweepMs: 30 });
  clocked.setByMs = HOUR;
  await seen.untilEvent('clock.stepped');
  clocked.setByMs = 0;
  await seen.untilLogged('clock of this host was set');
  const stepsOf = () => seen.events.filter(({ type }) => type === 'clock.stepped');
  await expect.poll(() => stepsOf().length).toBe(2);
  expect(Number(stepsOf()[1]?.data['by_ms'])).toBeLessThan(-HOUR + 500);
});

/** Both clocks of a machine, by hand. */
function machine() {
  const clocks = { wallMs: 1_000_000, bootMs: 50_000, boot: 'b' as string | null };
  const port = {
    now: () => clocks.wallMs,
    uptime: () => (clocks.boot === null ? null : { boot: clocks.boot, ms: clocks.bootMs }),
  };
  return { clocks, port };
}

test('time that passes is no step, however much: a suspend stops neither clock', () => {
  const { clocks, port } = machine();
  const step = clockSteps(port);
  clocks.wallMs += 9 * HOUR;
  clocks.bootMs += 9 * HOUR;
  expect(step()).toBeNull();
});

test('small steps are reported once they add up to more than two seconds', () => {
  const { clocks, port } = machine();
  const step = clockSteps(port);
  clocks.wallMs += 1_500;
  expect(step()).toBeNull();
  clocks.wallMs += 1_500;
  expect(step()).toEqual({ fromMs: 1_000_000, toMs: 1_003_000 });
  expect(step()).toBeNull();
});

test('where nobody knows the boot, nothing is claimed', () => {
  const { clocks, port } = machine();
  clocks.boot = null;
  const step = clockSteps(port);
  clocks.wallMs += HOUR;
  expect(step()).toBeNull();
});
