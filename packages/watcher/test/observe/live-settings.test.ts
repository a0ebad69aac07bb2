/**
 * Settings follow their files, and a broken edit changes nothing but the report.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FleetSettings } from '@fleet-estop/settings';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RejectedFile, SettleTime } from '../../src/observe/live-file.ts';
import { liveSettings } from '../../src/observe/live-settings.ts';
import { mountCoarse, needsMounts } from '../support/mounts.ts';
import { makeRoot } from '../support/watched.ts';

function live(root = makeRoot('lane-a'), settleTime?: SettleTime) {
  const rejected: RejectedFile[] = [];
  const recovered: string[] = [];
  const changed: (string | undefined)[] = [];
  const report = {
    rejected: (file: RejectedFile) => rejected.push(file),
    recovered: (path: string) => recovered.push(path),
    changed: ({ observe }: FleetSettings) => changed.push(observe),
  };
  const settings = liveSettings(root, report, settleTime);
  onTestFinished(() => settings.close());
  const home = join(root, 'profiles/lane-a');
  const refresh = () => settings.refresh([{ name: 'lane-a', home }]);
  const file = join(root, 'fleet.yaml');
  return { root, file, home, settings, refresh, rejected, recovered, changed };
}

/** Where it only matters that it comes. */
const QUICK: SettleTime = { unchangedMs: 50, maxMs: 500 };

/** What nobody asks for again comes by itself. */
const byItself = { interval: 10 };

const GOOD = 'version: 1\nobserve: poll\n';
const BROKEN = 'version: 1\nobserve: sometimes\n';

test('without a file the defaults are in force, and nothing is reported', async () => {
  const { settings, refresh, rejected, changed } = live();
  await refresh();
  expect(settings.fleet()).toEqual({ version: 1 });
  expect([rejected, changed]).toEqual([[], []]);
});

test('a file that comes, changes and goes is followed', async () => {
  const { file, settings, refresh, changed } = live(makeRoot('lane-a'), QUICK);
  writeFileSync(file, 'version: 1\nobserve: poll\n');
  await refresh();
  writeFileSync(file, 'version: 1\nobserve: native\n');
  await refresh();
  await refresh();
  rmSync(file);
  await refresh();
  await expect.poll(() => changed, byItself).toEqual(['poll', 'native', undefined]);
  expect(settings.fleet()).toEqual({ version: 1 });
});

test('a broken edit keeps the last good settings, and names file, line and column once', async () => {
  const { file, settings, refresh, rejected, recovered, changed } = live(makeRoot('lane-a'), QUICK);
  writeFileSync(file, 'version: 1\nobserve: poll\n');
  await refresh();
  writeFileSync(file, 'version: 1\nobserve: sometimes\n');
  await refresh();
  await expect.poll(() => rejected, byItself).toHaveLength(1);
  await refresh();
  expect(settings.fleet().observe).toBe('poll');
  expect(rejected).toHaveLength(1);
  expect(rejected[0]).toMatchObject({ path: file, inForce: 'last-good' });
  expect(rejected[0]?.problems[0]).toContain(`${file}:2:10`);
  expect(settings.rejected()).toEqual(rejected);
  writeFileSync(file, 'version: 1\nobserve: native\n');
  await refresh();
  expect(settings.fleet().observe).toBe('native');
  expect(settings.rejected()).toEqual([]);
  expect(recovered).toEqual([file]);
  expect(changed).toEqual(['poll', 'native']);
});

test('another mistake is another report; with nothing good before, the defaults are in force', async () => {
  const { file, settings, refresh, rejected } = live(makeRoot('lane-a'), QUICK);
  writeFileSync(file, 'version: 1\nobserve: sometimes\n');
  await refresh();
  writeFileSync(file, 'version: 1\nobserves: poll\n');
  await refresh();
  await expect.poll(() => rejected, byItself).toHaveLength(2);
  expect(rejected.map(({ inForce }) => inForce)).toEqual(['defaults', 'defaults']);
  expect(settings.fleet()).toEqual({ version: 1 });
});

test('five saves by rename in a row end at the last', async () => {
  const { root, file, settings, refresh } = live();
  const waits: Promise<void>[] = [];
  for (const ms of ['1s', '2s', '3s', '4s', '5s']) {
    writeFileSync(join(root, 'draft'), `version: 1\nwatcher:\n  sweep: ${ms}\n`);
    renameSync(join(root, 'draft'), file);
    waits.push(refresh());
  }
  await Promise.all(waits);
  expect(settings.fleet().watcher?.sweep?.ms).toBe(5_000);
});

test('settings that are swapped links are followed; a dangling one is refused', async () => {
  const { root, file, settings, refresh, rejected } = live(makeRoot('lane-a'), QUICK);
  for (const version of ['one', 'two']) {
    mkdirSync(join(root, version));
    const sweep = version === 'one' ? '11s' : '12s';
    writeFileSync(join(root, version, 'fleet.yaml'), `version: 1\nwatcher:\n  sweep: ${sweep}\n`);
  }
  symlinkSync('one', join(root, 'current'));
  symlinkSync('current/fleet.yaml', file);
  await refresh();
  expect(settings.fleet().watcher?.sweep?.ms).toBe(11_000);
  symlinkSync('two', join(root, 'draft'));
  renameSync(join(root, 'draft'), join(root, 'current'));
  await refresh();
  expect(settings.fleet().watcher?.sweep?.ms).toBe(12_000);
  rmSync(join(root, 'current'));
  await refresh();
  await expect.poll(() => rejected[0]?.inForce, byItself).toBe('last-good');
  expect(settings.fleet().watcher?.sweep?.ms).toBe(12_000);
});

test('a profile has its own settings, and its mistakes do not touch the fleet', async () => {
  const { home, settings, refresh, rejected } = live(makeRoot('lane-a'), QUICK);
  expect(settings.profile('lane-a')).toBeNull();
  writeFileSync(join(home, 'profile.yaml'), 'version: 1\ngateway:\n  expected: true\n');
  await refresh();
  expect(settings.profile('lane-a')?.gateway?.expected).toBe(true);
  writeFileSync(join(home, 'profile.yaml'), 'version: 1\ngateway: 5\n');
  await refresh();
  await expect.poll(() => rejected.length, byItself).toBe(1);
  expect(rejected.map(({ path }) => path)).toEqual([join(home, 'profile.yaml')]);
  expect(settings.profile('lane-a')?.gateway?.expected).toBe(true);
  await settings.refresh([]);
  expect(settings.profile('lane-a')).toBeNull();
  expect(settings.rejected()).toEqual([]);
});

describe('a file that is being saved', () => {
  const symlinkTo = (file: string, to: string) => {
    rmSync(file);
    symlinkSync(to, file);
  };
  const unfinished: ((file: string) => void)[] = [
    (file) => renameSync(file, `${file}~`),
    (file) => writeFileSync(file, ''),
    (file) => writeFileSync(file, ' \n'),
    (file) => writeFileSync(file, 'version: 1\nobserve: po'),
    (file) => symlinkTo(file, 'nowhere'),
  ];

  test('may be gone, empty, half written or a dangling link, and nothing is changed or said', async () => {
    const fleets = unfinished.map((spoil) => ({ ...live(), spoil }));
    for (const { file, settings, refresh, spoil } of fleets) {
      writeFileSync(file, GOOD);
      await refresh();
      const before = settings.fleet();
      spoil(file);
      await refresh();
      await refresh();
      expect(settings.fleet()).toBe(before);
      rmSync(file, { force: true });
      writeFileSync(file, GOOD);
      await refresh();
      expect(settings.fleet()).toBe(before);
    }
    // Longer than any of them would have been waited for.
    await delay(700);
    for (const { changed, rejected, recovered } of fleets) {
      expect([changed, rejected, recovered]).toEqual([['poll'], [], []]);
    }
  });

  test('is followed as soon as it is whole', async () => {
    const { file, settings, refresh, changed } = live();
    writeFileSync(file, GOOD);
    await refresh();
    rmSync(file);
    await refresh();
    writeFileSync(file, '');
    await refresh();
    writeFileSync(file, 'version: 1\nobserve: native\n');
    await refresh();
    expect(settings.fleet().observe).toBe('native');
    expect(changed).toEqual(['poll', 'native']);
  });

  test('is waited for as long as any before it', async () => {
    const { file, settings, refresh, changed } = live(undefined, { unchangedMs: 500, maxMs: 500 });
    for (const observe of ['poll', 'native']) {
      writeFileSync(file, `version: 1\nobserve: ${observe}\n`);
      await refresh();
      await delay(600);
      rmSync(file);
      await refresh();
      expect(settings.fleet().observe).toBe(observe);
    }
    expect(changed).toEqual(['poll', 'native']);
  });

  test('may be the first one there is, and may be the one that repairs', async () => {
    const { file, settings, refresh, rejected, recovered } = live();
    await refresh();
    writeFileSync(file, '');
    await refresh();
    writeFileSync(file, BROKEN);
    await refresh();
    expect(rejected).toEqual([]);
    await expect.poll(() => rejected, byItself).toHaveLength(1);
    writeFileSync(file, '');
    await refresh();
    // Nothing is known to be good again.
    expect(settings.rejected()).toEqual(rejected);
    writeFileSync(file, GOOD);
    await refresh();
    expect([rejected.length, recovered, settings.rejected()]).toEqual([1, [file], []]);
  });

  test('is waited for anew when it is seen to be written, but not for ever', async () => {
    const settleTime = { unchangedMs: 500, maxMs: 1_500 };
    const { file, settings, refresh, rejected } = live(makeRoot('lane-a'), settleTime);
    writeFileSync(file, GOOD);
    await refresh();
    const began = performance.now();
    let text = BROKEN;
    while (rejected.length === 0) {
      text += '# more\n';
      writeFileSync(file, text);
      await refresh();
      await delay(50);
    }
    expect(rejected).toMatchObject([{ inForce: 'last-good' }]);
    expect(performance.now() - began).toBeGreaterThan(1_400);
    expect(settings.fleet().observe).toBe('poll');
  });

  test('of a profile is waited for as that of the fleet', async () => {
    const { home, settings, refresh, rejected } = live();
    const file = join(home, 'profile.yaml');
    writeFileSync(file, 'version: 1\ndescription: one\n');
    await refresh();
    for (const spoil of [() => rmSync(file), () => writeFileSync(file, '')]) {
      spoil();
      await refresh();
      expect(settings.profile('lane-a')?.description).toBe('one');
    }
    await expect.poll(() => rejected.map(({ path }) => path), byItself).toEqual([file]);
    rmSync(file);
    await refresh();
    await expect.poll(() => settings.profile('lane-a'), byItself).toBeNull();
  });
});

test('at the start nothing is waited for: there are no settings that could be lost', async () => {
  const { file, home, refresh, rejected } = live();
  writeFileSync(file, '');
  writeFileSync(join(home, 'profile.yaml'), BROKEN);
  await refresh();
  expect(rejected.map(({ path }) => path)).toEqual([file, join(home, 'profile.yaml')]);
});

test('a file that stays away does not keep an answer waiting, and is gone only then', async () => {
  const { file, settings, refresh, changed } = live();
  writeFileSync(file, GOOD);
  await refresh();
  rmSync(file);
  const began = performance.now();
  await refresh();
  expect(settings.fleet().observe).toBe('poll');
  await expect.poll(() => changed, byItself).toEqual(['poll', undefined]);
  expect(performance.now() - began).toBeGreaterThan(450);
});

describe('a file that is gone with its folder', () => {
  const away = ({ root }: ReturnType<typeof live>) => {
    renameSync(root, `${root}-away`);
    onTestFinished(() => rmSync(`${root}-away`, { recursive: true, force: true }));
  };
  const waitedOut = async ({ refresh }: ReturnType<typeof live>) => {
    await refresh();
    await delay(3 * QUICK.unchangedMs);
    await refresh();
  };

  test('was not taken away: what it said stays in force, and is read when it is back', async () => {
    const one = live(makeRoot('lane-a'), QUICK);
    writeFileSync(one.file, GOOD);
    writeFileSync(join(one.home, 'profile.yaml'), 'version: 1\ndescription: first\n');
    await one.refresh();
    away(one);
    await waitedOut(one);
    expect(one.settings.fleet().observe).toBe('poll');
    expect(one.settings.profile('lane-a')?.description).toBe('first');
    writeFileSync(join(`${one.root}-away`, 'fleet.yaml'), 'version: 1\nobserve: native\n');
    renameSync(`${one.root}-away`, one.root);
    await one.refresh();
    expect([one.changed, one.rejected]).toEqual([['poll', 'native'], []]);
  });

  test('is gone where the folder comes back without it, though it went before the folder', async () => {
    const one = live(makeRoot('lane-a'), QUICK);
    writeFileSync(one.file, GOOD);
    await one.refresh();
    rmSync(one.file);
    await one.refresh();
    away(one);
    await waitedOut(one);
    expect(one.settings.fleet().observe).toBe('poll');
    renameSync(`${one.root}-away`, one.root);
    await one.refresh();
    await expect.poll(() => one.changed, byItself).toEqual(['poll', undefined]);
  });
});

test('once closed, nothing is looked at again or said', async () => {
  const { file, settings, refresh, changed, rejected } = live();
  writeFileSync(file, GOOD);
  await refresh();
  rmSync(file);
  await refresh();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  settings.close();
  expect(timers()).toBe(before - 1);
  await delay(700);
  writeFileSync(file, 'version: 1\nobserve: native\n');
  await refresh();
  expect(settings.fleet().observe).toBe('poll');
  expect([changed, rejected]).toEqual([['poll'], []]);
});

describe('on a file system whose clock ticks once a second', () => {
  needsMounts();

  test('two writes within one tick of the clock are told apart in the end', async () => {
    const root = makeRoot();
    mountCoarse(root);
    const { file, settings, refresh } = live(root);
    for (let n = 0; n < 20; n++) {
      writeFileSync(file, `version: 1\nwatcher:\n  sweep: ${10 + n}s\n`);
      const reading = refresh();
      // The bytes of the first are taken by now.
      writeFileSync(file, `version: 1\nwatcher:\n  sweep: ${40 + n}s\n`);
      await reading;
      await refresh();
      expect(settings.fleet().watcher?.sweep?.ms).toBe((40 + n) * 1_000);
    }
  });
});
