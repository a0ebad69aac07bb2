/**
 * What every observer must notice. The sweep interval is too long to help.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { arm, formatInstant, lift } from '@fleet-estop/sentinel-core';
import { describe, expect, test } from 'vitest';
import { OBSERVE_MODES } from '../../src/observe/choose.ts';
import {
  disk,
  lane,
  laneFree,
  laneHeld,
  makeRoot,
  reasonIn,
  type Watched,
  watched,
} from '../support/watched.ts';

describe.each(OBSERVE_MODES)('observing in mode %s', (mode) => {
  const begin = (...lanes: string[]): Watched & { home: string; sentinel: string } => {
    const root = makeRoot('lane-a', ...lanes);
    const home = join(root, 'profiles/lane-a');
    return { ...watched(root, { mode }), home, sentinel: join(home, 'ESTOP') };
  };

  test('a hold in one profile is noticed, and its neighbour runs on', async () => {
    const { home, until } = begin('lane-b');
    arm(disk, home, { reason: 'fan-out' });
    const fleet = await until(laneHeld('lane-a'));
    expect(reasonIn(fleet, 'lane-a')).toBe('fan-out');
    expect(lane(fleet, 'lane-b')?.engaged).toBe(false);
  });

  test('a re-arm and a lift are noticed', async () => {
    const { home, until, events } = begin();
    arm(disk, home, { reason: 'one' });
    await until((fleet) => reasonIn(fleet, 'lane-a') === 'one');
    arm(disk, home, { reason: 'two' });
    await until((fleet) => reasonIn(fleet, 'lane-a') === 'two');
    lift(disk, home, { everyone: true });
    await until(laneFree('lane-a'));
    expect(events.map(({ type }) => type)).toEqual([
      'hold.armed',
      'profile.paused',
      'hold.rearmed',
      'profile.running',
    ]);
  });

  test('a root hold holds every profile, and its lift lets every profile go', async () => {
    const { root, until } = begin('lane-b');
    arm(disk, root, {});
    await until((fleet) => fleet.profiles.every(({ engaged }) => engaged));
    lift(disk, root, { everyone: true });
    await until((fleet) => fleet.profiles.every(({ engaged }) => !engaged));
  });

  test('a touch and an rm by plain tools are noticed', async () => {
    const { sentinel, until } = begin();
    execFileSync('touch', [sentinel]);
    await until(laneHeld('lane-a'));
    execFileSync('rm', [sentinel]);
    await until(laneFree('lane-a'));
  });

  test('a file that is renamed over the sentinel is noticed', async () => {
    const { home, sentinel, until } = begin();
    arm(disk, home, { reason: 'old' });
    await until(laneHeld('lane-a'));
    writeFileSync(join(home, 'draft'), '{"reason":"by hand"}');
    renameSync(join(home, 'draft'), sentinel);
    await until((fleet) => reasonIn(fleet, 'lane-a') === 'by hand');
  });

  test('what is written in place is noticed', async () => {
    const { sentinel, until } = begin();
    writeFileSync(sentinel, '{"reason":"first"}');
    await until((fleet) => reasonIn(fleet, 'lane-a') === 'first');
    writeFileSync(sentinel, '{"reason":"second"}');
    await until((fleet) => reasonIn(fleet, 'lane-a') === 'second');
    appendFileSync(sentinel, 'torn');
    await until((fleet) => lane(fleet, 'lane-a')?.own?.unreadable === 'not-json');
  });

  test('a FIFO, a folder and a dangling link in its place are noticed, and hold', async () => {
    const { sentinel, until } = begin();
    for (const make of [
      () => execFileSync('mkfifo', [sentinel]),
      () => mkdirSync(sentinel),
      () => symlinkSync('nowhere', sentinel),
    ]) {
      make();
      await until(laneHeld('lane-a'));
      rmSync(sentinel, { recursive: true });
      await until(laneFree('lane-a'));
    }
  });

  test('a profile that is made and held at once is held', async () => {
    const { root, until } = begin();
    for (let n = 0; n < 10; n++) {
      mkdirSync(join(root, `profiles/new-${n}`));
      writeFileSync(join(root, `profiles/new-${n}/ESTOP`), '');
      if (n % 2 === 0) await until(laneHeld(`new-${n}`));
    }
    await until((fleet) => fleet.profiles.filter(({ engaged }) => engaged).length === 10);
  });

  test('a profile that is removed and made again is observed as before', async () => {
    const { home, until } = begin();
    rmSync(home, { recursive: true });
    await until((fleet) => lane(fleet, 'lane-a') === undefined);
    mkdirSync(home);
    await until(laneFree('lane-a'));
    arm(disk, home, { reason: 'again' });
    await until((fleet) => reasonIn(fleet, 'lane-a') === 'again');
  });

  test('a profile that is moved takes its hold along, and is observed under its new name', async () => {
    const { root, home, until } = begin();
    arm(disk, home, { reason: 'moves along' });
    await until(laneHeld('lane-a'));
    renameSync(home, join(root, 'profiles/lane-z'));
    const fleet = await until((it) => lane(it, 'lane-a') === undefined && laneHeld('lane-z')(it));
    expect(reasonIn(fleet, 'lane-z')).toBe('moves along');
    lift(disk, join(root, 'profiles/lane-z'), { everyone: true });
    await until(laneFree('lane-z'));
  });

  test('a profile that is replaced between two looks is observed as before', async () => {
    const { home, until, untilQuiet } = begin();
    renameSync(home, `${home}-old`);
    rmSync(`${home}-old`, { recursive: true });
    mkdirSync(home);
    await until(laneFree('lane-a'));
    await untilQuiet();
    arm(disk, home, { reason: 'new folder' });
    await until((fleet) => reasonIn(fleet, 'lane-a') === 'new folder');
  });

  test('of 200 fast toggles the last state always arrives', async () => {
    const { home, sentinel, until } = begin();
    const draft = join(home, 'draft');
    for (let round = 0; round < 40; round++) {
      for (let toggle = 0; toggle < 5; toggle++) {
        writeFileSync(draft, `{"reason":"${round}.${toggle}"}`);
        renameSync(draft, sentinel);
        if (toggle % 2 === 0) await new Promise(setImmediate);
        if (toggle < 4 || round % 2 === 0) unlinkSync(sentinel);
      }
      if (round % 2 === 0) await until(laneFree('lane-a'));
      else await until((fleet) => reasonIn(fleet, 'lane-a') === `${round}.4`);
      rmSync(sentinel, { force: true });
    }
  });

  test('a deadline that passes is seen although no file changes, and is retired', async () => {
    const { home, until, untilEvent } = begin();
    arm(disk, home, { expiresAt: formatInstant(Date.now() + 300) });
    await until(laneHeld('lane-a'));
    await untilEvent('hold.expired');
    await until((fleet) => lane(fleet, 'lane-a')?.own?.expired === false);
  });
});
