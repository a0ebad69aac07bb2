/** Settings follow their files, and a broken edit changes nothing but what is said. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { liveSettings, type RejectedFile } from '../../src/observe/live-settings.ts';
import { mountCoarse, needsMounts } from '../support/mounts.ts';
import { makeRoot } from '../support/watched.ts';

function live(root = makeRoot('lane-a')) {
  const rejected: RejectedFile[] = [];
  const recovered: string[] = [];
  const changed: (string | undefined)[] = [];
  const settings = liveSettings(root, {
    rejected: (file) => rejected.push(file),
    recovered: (path) => recovered.push(path),
    changed: ({ observe }) => changed.push(observe),
  });
  const home = join(root, 'profiles/lane-a');
  const refresh = () => settings.refresh([{ name: 'lane-a', home }]);
  const file = join(root, 'fleet.yaml');
  return { root, file, home, settings, refresh, rejected, recovered, changed };
}

test('without a file the defaults are in force, and nothing is reported', async () => {
  const { settings, refresh, rejected, changed } = live();
  await refresh();
  expect(settings.fleet()).toEqual({ version: 1 });
  expect([rejected, changed]).toEqual([[], []]);
});

test('a file that comes, changes and goes is followed', async () => {
  const { file, settings, refresh, changed } = live();
  writeFileSync(file, 'version: 1\nobserve: poll\n');
  await refresh();
  writeFileSync(file, 'version: 1\nobserve: native\n');
  await refresh();
  await refresh();
  rmSync(file);
  await refresh();
  expect(changed).toEqual(['poll', 'native', undefined]);
  expect(settings.fleet()).toEqual({ version: 1 });
});

test('a broken edit keeps the last good settings, and names file, line and column once', async () => {
  const { file, settings, refresh, rejected, recovered, changed } = live();
  writeFileSync(file, 'version: 1\nobserve: poll\n');
  await refresh();
  writeFileSync(file, 'version: 1\nobserve: sometimes\n');
  await refresh();
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
  const { file, settings, refresh, rejected } = live();
  writeFileSync(file, 'version: 1\nobserve: sometimes\n');
  await refresh();
  writeFileSync(file, 'version: 1\nobserves: poll\n');
  await refresh();
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
  const { root, file, settings, refresh, rejected } = live();
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
  expect(settings.fleet().watcher?.sweep?.ms).toBe(12_000);
  expect(rejected[0]?.inForce).toBe('last-good');
});

test('a profile has its own settings, and its mistakes do not touch the fleet', async () => {
  const { home, settings, refresh, rejected } = live();
  expect(settings.profile('lane-a')).toBeNull();
  writeFileSync(join(home, 'profile.yaml'), 'version: 1\ngateway:\n  expected: true\n');
  await refresh();
  expect(settings.profile('lane-a')?.gateway?.expected).toBe(true);
  writeFileSync(join(home, 'profile.yaml'), 'version: 1\ngateway: 5\n');
  await refresh();
  expect(settings.profile('lane-a')?.gateway?.expected).toBe(true);
  expect(rejected.map(({ path }) => path)).toEqual([join(home, 'profile.yaml')]);
  await settings.refresh([]);
  expect(settings.profile('lane-a')).toBeNull();
  expect(settings.rejected()).toEqual([]);
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
