/**
 * The result of one look at a real fleet.
 */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arm } from '@fleet-estop/sentinel-core';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf, documentOfLook } from '../../src/state/document.ts';
import { scopesOf, unreadableIn } from '../../src/state/fleet-state.ts';
import { readFleet, rereadScopes } from '../../src/state/read-fleet.ts';
import { createStore } from '../../src/state/store.ts';
import { disk, failingDisk, lane, makeRoot, spoil } from '../support/watched.ts';

test('a scope that says the same is the same object, in a full look and in a reread', () => {
  const root = makeRoot('lane-a', 'lane-b');
  arm(disk, join(root, 'profiles/lane-b'), {});
  const first = readFleet(disk, root);
  arm(disk, join(root, 'profiles/lane-a'), {});
  const changed = join(root, 'profiles/lane-a');
  for (const second of [
    readFleet(disk, root, first),
    rereadScopes(disk, first, new Set([changed])),
  ]) {
    expect(lane(second, 'lane-a')?.engaged).toBe(true);
    expect(lane(second, 'lane-b')?.own).toBe(lane(first, 'lane-b')?.own);
    expect(second.shared[0]).toBe(first.shared[0]);
  }
});

test('a look that finds nothing new has the lists of the look before, and any other has not', () => {
  const root = makeRoot('lane-a', 'lane-b');
  const first = readFleet(disk, root);
  const second = readFleet(disk, root, first);
  expect(second).not.toBe(first);
  expect(second.shared).toBe(first.shared);
  expect(second.profiles).toBe(first.profiles);
  arm(disk, join(root, 'profiles/lane-b'), {});
  const third = readFleet(disk, root, second);
  expect(third.shared).toBe(first.shared);
  expect(third.profiles).not.toBe(first.profiles);
  mkdirSync(join(root, 'profiles/lane-c'));
  expect(readFleet(disk, root, third).profiles).not.toBe(third.profiles);
  arm(disk, root, {});
  const held = readFleet(disk, root, third);
  expect(held.shared).not.toBe(third.shared);
  expect(held.profiles.every(({ engaged }) => engaged)).toBe(true);
});

test('a reread of the root is felt by every profile', () => {
  const root = makeRoot('lane-a', 'lane-b');
  const first = readFleet(disk, root);
  arm(disk, root, {});
  const second = rereadScopes(disk, first, new Set([root]));
  expect(second.profiles.map(({ engaged }) => engaged)).toEqual([true, true]);
});

test('profiles that cannot be listed any more stay as they are on disk', () => {
  const root = makeRoot('lane-a');
  arm(disk, join(root, 'profiles/lane-a'), {});
  const first = readFleet(disk, root);
  renameSync(join(root, 'profiles'), join(root, 'aside'));
  symlinkSync('nowhere', join(root, 'profiles'));
  const second = readFleet(disk, root, first);
  expect(second.unreadable).not.toBeNull();
  expect(lane(second, 'lane-a')).toBeDefined();
  expect(unreadableIn(second)[0]?.what).toBe('profiles');
});

test('a root that is gone is not a fleet without profiles, and nobody in it runs', () => {
  const root = makeRoot('lane-a', 'lane-b');
  arm(disk, join(root, 'profiles/lane-b'), {});
  const first = readFleet(disk, root);
  renameSync(root, `${root}.aside`);
  onTestFinished(() => rmSync(`${root}.aside`, { recursive: true, force: true }));
  // Somebody looked at a scope before everybody did: what is left is not for that look to say.
  const reread = rereadScopes(disk, first, new Set([root, join(root, 'profiles/lane-b')]));
  expect(reread).toBe(first);
  const second = readFleet(disk, root, first);
  expect(second.unreadable).toBe('ENOENT');
  expect(second.profiles.map(({ name, engaged }) => [name, engaged])).toEqual([
    ['lane-a', true],
    ['lane-b', true],
  ]);
  expect(second.shared[0]?.holds).toMatchObject([{ id: 'unknown', unreadable: 'ENOENT' }]);
  // What stood there is not gone by what we know.
  expect(lane(second, 'lane-b')?.own).toBe(lane(first, 'lane-b')?.own);
  expect(readFleet(disk, root, second).shared).toBe(second.shared);
  renameSync(`${root}.aside`, root);
  const third = readFleet(disk, root, second);
  expect(third.unreadable).toBe(null);
  expect(third.profiles.map(({ engaged }) => engaged)).toEqual([false, true]);
  expect(third.lastSeen.size).toBe(0);
});

test('a root of which an empty folder is left, as where it was unmounted, is gone as well', () => {
  const root = makeRoot('lane-a');
  const first = readFleet(disk, root);
  renameSync(root, `${root}.aside`);
  onTestFinished(() => rmSync(`${root}.aside`, { recursive: true, force: true }));
  mkdirSync(root);
  expect(rereadScopes(disk, first, new Set([root]))).toBe(first);
  const second = readFleet(disk, root, first);
  expect(second.unreadable).toBe('no-fleet');
  expect(second.shared[0]?.holds).toMatchObject([{ id: 'unknown', unreadable: 'no-fleet' }]);
  expect(lane(second, 'lane-a')?.engaged).toBe(true);
});

test.each(['a full look', 'a reread'])(
  'a root that goes in the middle of %s is not seen free: nobody is said to run',
  (how) => {
    const root = makeRoot('lane-a');
    arm(disk, root, {});
    const first = readFleet(disk, root);
    const leaving = {
      ...disk,
      lstat(path: string) {
        if (existsSync(root)) renameSync(root, `${root}.aside`);
        return disk.lstat(path);
      },
    };
    onTestFinished(() => rmSync(`${root}.aside`, { recursive: true, force: true }));
    const second =
      how === 'a reread'
        ? rereadScopes(leaving, first, new Set([root]))
        : readFleet(leaving, root, first);
    expect(existsSync(root)).toBe(false);
    expect(lane(second, 'lane-a')?.engaged).toBe(true);
  },
);

test('profiles that cannot be listed and are not there are held, whatever was known of them', () => {
  const root = makeRoot('lane-a', 'lane-b');
  arm(disk, join(root, 'profiles/lane-b'), {});
  const first = readFleet(disk, root);
  const held = lane(first, 'lane-b')?.own?.holds ?? [];
  rmSync(join(root, 'profiles'), { recursive: true });
  writeFileSync(join(root, 'profiles'), '');
  const second = readFleet(disk, root, first);
  expect(second.unreadable).toBe('ENOTDIR');
  expect(second.profiles.map(({ engaged }) => engaged)).toEqual([true, true]);
  expect(second.lastSeen.get(join(root, 'profiles/lane-b'))).toEqual(held);
  expect(second.lastSeen.get(join(root, 'profiles/lane-a'))).toEqual([]);
});

test('a profile whose folder went with its hold runs nowhere, and is no profile at the next look', () => {
  const root = makeRoot('lane-a');
  arm(disk, join(root, 'profiles/lane-a'), {});
  const first = readFleet(disk, root);
  rmSync(join(root, 'profiles/lane-a'), { recursive: true });
  const reread = rereadScopes(disk, first, new Set([join(root, 'profiles/lane-a')]));
  expect(lane(reread, 'lane-a')?.engaged).toBe(true);
  expect(readFleet(disk, root, reread).profiles).toEqual([]);
});

test('what was seen last is remembered for as long as a scope cannot be read, and no longer', () => {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  arm(disk, home, { reason: 'seen' });
  const first = readFleet(disk, root);
  const failing = failingDisk(home);
  failing.code = 'EACCES';
  const second = readFleet(failing, root, first);
  const third = rereadScopes(failing, second, new Set([home]));
  for (const { lastSeen } of [second, third]) {
    expect(lastSeen.get(home)).toMatchObject([{ reason: 'seen' }]);
  }
  failing.code = null;
  expect(readFleet(failing, root, third).lastSeen.size).toBe(0);
});

test('only what could not be looked at is unreadable: an empty sentinel and one of plain text hold', () => {
  const root = makeRoot('lane-a', 'lane-b', 'lane-c');
  writeFileSync(join(root, 'profiles/lane-a/ESTOP'), '');
  writeFileSync(join(root, 'profiles/lane-b/ESTOP'), 'deploy till noon');
  spoil(join(root, 'profiles/lane-c'));
  const fleet = readFleet(disk, root);
  expect(lane(fleet, 'lane-a')).toMatchObject({ engaged: true, own: { unreadable: null } });
  expect(lane(fleet, 'lane-b')).toMatchObject({ engaged: true, own: { unreadable: 'not-json' } });
  expect(unreadableIn(fleet)).toEqual([{ what: join(root, 'profiles/lane-c'), why: 'ENOTDIR' }]);
});

test('the lane `default` is listed where the root has a profile.yaml or a gateway serves it', () => {
  const root = makeRoot('lane-a');
  const names = (served: boolean) =>
    readFleet(disk, root, null, { servedFromRoot: served }).profiles.map(({ name }) => name);
  expect(names(false)).toEqual(['lane-a']);
  expect(names(true)).toEqual(['default', 'lane-a']);
  writeFileSync(join(root, 'profile.yaml'), 'version: 1\n');
  expect(names(false)).toEqual(['default', 'lane-a']);
  expect(names(true)).toEqual(['default', 'lane-a']);
});

test('a cluster folder binds every profile, like the root', () => {
  const root = makeRoot('lane-a');
  mkdirSync(join(root, 'cluster'));
  writeFileSync(join(root, 'cluster/ESTOP'), '');
  const fleet = readFleet(disk, root);
  expect(fleet.profiles.map(({ engaged }) => engaged)).toEqual([true]);
  expect(scopesOf(fleet).map(({ kind }) => kind)).toEqual(['root', 'cluster', 'profile']);
});

test('the document of a look claims no watcher and no gateways; that of a watcher names both', () => {
  const root = makeRoot('lane-a');
  spoil(join(root, 'profiles/lane-a'));
  const fleet = readFleet(disk, root);
  const look = documentOfLook(fleet, '2026-11-29T17:00:00.000+00:00');
  expect(look).toMatchObject({
    schema: 'fleet/state/v1',
    root,
    epoch: null,
    revision: null,
    gateways: null,
    profiles: [{ name: 'lane-a', engaged: true, revision: null }],
    unreadable: [{ why: 'ENOTDIR' }],
  });
  const store = createStore(fleet, { epoch: 'e1' });
  expect(documentOf(store.snapshot())).toMatchObject({
    schema: 'fleet/state/v1',
    epoch: 'e1',
    revision: store.snapshot().revision,
    gateways: [],
    profiles: [{ name: 'lane-a', revision: store.snapshot().revision }],
  });
});
