/**
 * What happens between the look and the write of an extension: it never arms what somebody lifted.
 */
import { arm, check, type DiskPort, lift, nodeDisk } from '@fleet-estop/sentinel-core';
import { expect, it } from 'vitest';
import { extendHold } from '../../src/verbs/extend/extend-hold.ts';
import { makeFleet } from '../support/fleet.ts';

const LATER = '2999-01-01T00:00:00.000+00:00';

/** Runs `meanwhile` before the first thing that is written, and so after the look. */
function interrupted(meanwhile: (disk: DiskPort) => void): DiskPort {
  const disk = nodeDisk();
  let done = false;
  return {
    ...disk,
    mkdir(path) {
      if (!done) {
        done = true;
        meanwhile(disk);
      }
      disk.mkdir(path);
    },
  };
}

function extendWhile(meanwhile: (disk: DiskPort, dir: string) => void, ttlMs = 60_000) {
  const { root: dir } = makeFleet();
  const disk = nodeDisk();
  arm(disk, dir, { reason: 'mine', expiresAt: new Date(Date.now() + ttlMs).toISOString() });
  const result = extendHold(
    interrupted((port) => meanwhile(port, dir)),
    { kind: 'root', dir },
    { holder: 'operator' },
    LATER,
  );
  return { result, after: check(disk, dir) };
}

it('a hold that is lifted meanwhile stays lifted', () => {
  const { result, after } = extendWhile((disk, dir) => lift(disk, dir, { holder: 'operator' }));
  expect(result).toEqual({ extended: false, why: 'absent' });
  expect(after.engaged).toBe(false);
});

it('a hold that is lifted meanwhile beside another’s stays lifted', () => {
  const { result, after } = extendWhile((disk, dir) => {
    arm(disk, dir, { holder: 'sre' });
    lift(disk, dir, { holder: 'operator' });
  });
  expect(result).toEqual({ extended: false, why: 'not-held' });
  expect(after.engaged && after.holds.map(({ holder }) => holder)).toEqual(['sre']);
});

it('somebody else’s new hold does not keep it from being extended, and stays', () => {
  const { result, after } = extendWhile((disk, dir) => void arm(disk, dir, { holder: 'sre' }));
  expect(result).toMatchObject({ extended: true, hold: { expiresAt: LATER, reason: 'mine' } });
  expect(after.engaged && after.holds.map(({ holder }) => holder).sort()).toEqual([
    'operator',
    'sre',
  ]);
});

it('its holder’s own new reason is kept', () => {
  const { result } = extendWhile((disk, dir) => void arm(disk, dir, { reason: 'newer' }));
  expect(result).toMatchObject({ extended: true, hold: { expiresAt: LATER, reason: 'newer' } });
});

it('a hold that expires meanwhile beside another’s is not armed again', () => {
  const { root: dir } = makeFleet();
  const disk = nodeDisk();
  arm(disk, dir, { holder: 'sre' });
  arm(disk, dir, { expiresAt: new Date(Date.now() + 60_000).toISOString() });
  let late = 0;
  const moving = interrupted(() => {
    late = 120_000;
  });
  const clocked = {
    ...moving,
    now: () => disk.now() + late,
    uptime() {
      const uptime = disk.uptime();
      return uptime && { ...uptime, ms: uptime.ms + late };
    },
  };
  const result = extendHold(clocked, { kind: 'root', dir }, { holder: 'operator' }, LATER);
  expect(result).toEqual({ extended: false, why: 'expired' });
  const after = check(clocked, dir);
  expect(after.engaged && after.holds.map(({ holder }) => holder)).toEqual(['sre']);
});

it('a hold whose own holder places it anew is no longer the one with that id', () => {
  const { root: dir } = makeFleet();
  const disk = nodeDisk();
  const first = arm(disk, dir, {});
  const id = first.armed ? first.id : '';
  const result = extendHold(
    interrupted((port) => void arm(port, dir, { reason: 'newer' })),
    { kind: 'root', dir },
    { id },
    LATER,
    { mayShorten: true },
  );
  expect(result).toEqual({ extended: false, why: 'not-held' });
});

it('where others never stop writing, it gives up and says that somebody wrote first', () => {
  const { root: dir } = makeFleet();
  const disk = nodeDisk();
  arm(disk, dir, {});
  let busy = false;
  const pestered: DiskPort = {
    ...disk,
    mkdir(path) {
      if (!busy) {
        busy = true;
        arm(disk, dir, { holder: 'sre' });
        busy = false;
      }
      disk.mkdir(path);
    },
  };
  const how = { mayShorten: true };
  const result = extendHold(pestered, { kind: 'root', dir }, { holder: 'operator' }, LATER, how);
  expect(result).toEqual({ extended: false, why: 'conflict' });
});
