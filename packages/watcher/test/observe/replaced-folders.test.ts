/**
 * Folders that are replaced under the same path, and dangling entries.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arm } from '@fleet-estop/sentinel-core';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { OBSERVE_MODES } from '../../src/observe/choose.ts';
import { mountTmpfs, needsMounts } from '../support/mounts.ts';
import {
  disk,
  lane,
  laneFree,
  laneHeld,
  makeRoot,
  NEVER_MS,
  reasonIn,
  watched,
} from '../support/watched.ts';

/** Sweeps often until something was found, and then hardly ever again: what follows is notices. */
const SWEEP_MS = 60;

describe.each(OBSERVE_MODES)('in mode %s', (mode) => {
  test('a root that is replaced is observed again, by the sweep at the latest', async () => {
    const root = makeRoot('lane-a');
    const { until, untilQuiet, watch } = watched(root, { mode, sweepMs: SWEEP_MS });
    renameSync(root, `${root}-old`);
    rmSync(`${root}-old`, { recursive: true });
    await until((fleet) => fleet.unreadable !== null);
    mkdirSync(join(root, 'profiles/lane-b'), { recursive: true });
    await until((fleet) => lane(fleet, 'lane-b') !== undefined && fleet.unreadable === null);
    watch.use({ mode, sweepMs: NEVER_MS });
    await untilQuiet();
    arm(disk, join(root, 'profiles/lane-b'), { reason: 'new root' });
    await until((fleet) => reasonIn(fleet, 'lane-b') === 'new root');
  });

  test('a fleet that is moved away in the middle of a pause is held, and nothing of it was lifted', async () => {
    const root = makeRoot('lane-a', 'lane-b');
    const { until, untilLogged, events, log } = watched(root, { mode, sweepMs: SWEEP_MS });
    arm(disk, join(root, 'profiles/lane-a'), { reason: 'runaway' });
    await until(laneHeld('lane-a'));
    renameSync(root, `${root}-aside`);
    onTestFinished(() => rmSync(`${root}-aside`, { recursive: true, force: true }));
    await until(({ unreadable }) => unreadable !== null);
    expect((await untilLogged('cannot be read')).level).toBe('error');
    const types = () => events.map(({ type }) => type);
    await until((fleet) => lane(fleet, 'lane-b')?.engaged === true);
    expect(types()).toContain('hold.unreadable');
    renameSync(`${root}-aside`, root);
    await until((fleet) => lane(fleet, 'lane-b')?.engaged === false);
    await untilLogged('can be read again');
    expect(types().filter((type) => /cleared|lifted|expired/.test(type))).toEqual([]);
    expect(events.filter(({ type }) => type === 'profile.running')).toMatchObject([
      { data: { profile: 'lane-b' } },
    ]);
    expect(log.filter(({ message }) => message.includes('another folder'))).toEqual([]);
  });

  test('a root that is a different folder than before is said aloud', async () => {
    const root = makeRoot('lane-a');
    const { untilLogged } = watched(root, { mode, sweepMs: SWEEP_MS });
    renameSync(root, `${root}-aside`);
    onTestFinished(() => rmSync(`${root}-aside`, { recursive: true, force: true }));
    mkdirSync(join(root, 'profiles/lane-a'), { recursive: true });
    expect((await untilLogged('a different folder than before')).level).toBe('warn');
  });

  test('a profile that is a link turned elsewhere is what it leads to now', async () => {
    const root = makeRoot('lane-a');
    const [one, two] = [makeRoot(), makeRoot()];
    symlinkSync(one, join(root, 'profiles/linked'));
    const { until, untilQuiet, watch } = watched(root, { mode, sweepMs: SWEEP_MS });
    arm(disk, one, { reason: 'one' });
    await until((fleet) => reasonIn(fleet, 'linked') === 'one');
    symlinkSync(two, join(root, 'profiles/draft'));
    renameSync(join(root, 'profiles/draft'), join(root, 'profiles/linked'));
    await until(laneFree('linked'));
    watch.use({ mode, sweepMs: NEVER_MS });
    await untilQuiet();
    arm(disk, two, { reason: 'two' });
    await until((fleet) => reasonIn(fleet, 'linked') === 'two');
  });

  test('entries that lead nowhere, in a circle or through a file make nothing else deaf', async () => {
    const root = makeRoot('lane-a');
    writeFileSync(join(root, 'profiles/plain'), '');
    for (const folder of [root, join(root, 'profiles'), join(root, 'profiles/lane-a')]) {
      symlinkSync('nowhere', join(folder, 'dangling'));
      symlinkSync('circle', join(folder, 'circle'));
      symlinkSync(join(root, 'profiles/plain/x'), join(folder, 'through-a-file'));
    }
    const { until, untilQuiet } = watched(root, { mode });
    await untilQuiet();
    arm(disk, join(root, 'profiles/lane-a'), {});
    await until(laneHeld('lane-a'));
    mkdirSync(join(root, 'profiles/lane-b'));
    await until((fleet) => lane(fleet, 'lane-b') !== undefined);
    await untilQuiet();
    arm(disk, root, {});
    await until((fleet) => fleet.profiles.every(({ engaged }) => engaged));
  });

  describe('mounts', () => {
    needsMounts();

    test('a profile that is mounted over, and unmounted, is what stands there now', async () => {
      const root = makeRoot('lane-a');
      const home = join(root, 'profiles/lane-a');
      const { until, untilQuiet, watch } = watched(root, { mode, sweepMs: SWEEP_MS });
      arm(disk, home, { reason: 'below' });
      await until((fleet) => reasonIn(fleet, 'lane-a') === 'below');
      const unmount = mountTmpfs(home);
      await until(laneFree('lane-a'));
      watch.use({ mode, sweepMs: NEVER_MS });
      await untilQuiet();
      arm(disk, home, { reason: 'above' });
      await until((fleet) => reasonIn(fleet, 'lane-a') === 'above');
      watch.use({ mode, sweepMs: SWEEP_MS });
      unmount();
      await until((fleet) => reasonIn(fleet, 'lane-a') === 'below');
      watch.use({ mode, sweepMs: NEVER_MS });
      await untilQuiet();
      unlinkSync(join(home, 'ESTOP'));
      await until(laneFree('lane-a'));
    });
  });
});

test('an environment that makes chokidar poll does not make it miss what is written in place', async () => {
  vi.stubEnv('CHOKIDAR_USEPOLLING', '1');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const root = makeRoot('lane-a');
  const sentinel = join(root, 'profiles/lane-a/ESTOP');
  const { until } = watched(root, { mode: 'chokidar' });
  for (const reason of ['one', 'two', 'three']) {
    writeFileSync(sentinel, JSON.stringify({ reason }));
    await until((fleet) => reasonIn(fleet, 'lane-a') === reason);
  }
});

test('a cluster folder that appears is observed', async () => {
  const root = makeRoot('lane-a');
  const { until, untilQuiet } = watched(root);
  mkdirSync(join(root, 'cluster'));
  await untilQuiet();
  arm(disk, join(root, 'cluster'), { reason: 'from afar' });
  const fleet = await until(({ profiles }) => profiles.every(({ engaged }) => engaged));
  expect(fleet.shared[1]?.holds[0]?.reason).toBe('from afar');
});
