/**
 * Which mode and group a sentinel takes, and with it who can read that a hold expires.
 */
import { chmodSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { arm } from '../../src/disk/arm.ts';
import { TENURE } from '../../src/disk/names.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import type { DiskPort } from '../../src/disk/port.ts';
import { STANDING, sentinelOf, writeSentinel } from '../support/bodies.ts';
import { otherProcess } from '../support/other-process.ts';
import { errno, withoutLinks } from '../support/ports.ts';
import { besideSentinel, scopeDir } from '../support/scope-dir.ts';

const disk = nodeDisk();
const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

const FOLDERS = [
  ['700', '600'],
  ['750', '640'],
  ['755', '644'],
  ['775', '664'],
  ['2775', '664'],
  ['2770', '660'],
  ['1777', '666'],
] as const;

describe.each([
  ['022', otherProcess()],
  ['077', otherProcess({ umask: 0o077 })],
  ['000', otherProcess({ umask: 0 })],
])('under umask %s', (_umask, process) => {
  test.each(FOLDERS)('a sentinel in a folder %s is %s', async (folder, file) => {
    const dir = scopeDir(Number.parseInt(folder, 8));
    expect(await process.run('arm', dir, { holder: 'a' })).toMatchObject({ armed: true });
    expect(modeOf(sentinelOf(dir))).toBe(file);
    // Again where one stands, and where one of several is lifted: both write a new file.
    expect(await process.run('arm', dir, { holder: 'b' })).toMatchObject({ armed: true });
    expect(modeOf(sentinelOf(dir))).toBe(file);
    expect(await process.run('lift', dir, { holder: 'a' })).toMatchObject({ lifted: true });
    expect(modeOf(sentinelOf(dir))).toBe(file);
    expect(modeOf(dir)).toBe(folder);
  });
});

test('a replaced sentinel takes the mode of the folder, not of what it replaces', () => {
  const dir = scopeDir(0o755);
  writeSentinel(dir, STANDING);
  chmodSync(sentinelOf(dir), 0o600);
  arm(disk, dir, { holder: 'me' });
  expect(modeOf(sentinelOf(dir))).toBe('644');
});

test('a dead owner’s tenure of another mode changes nothing', () => {
  const dir = scopeDir(0o755);
  mkdirSync(join(dir, TENURE), { mode: 0o700 });
  mkdirSync(join(dir, TENURE, 'aaaaaaaa.4194305.dead.0'), { mode: 0o700 });
  expect(arm(disk, dir, { holder: 'me' })).toMatchObject({ armed: true });
  expect(modeOf(sentinelOf(dir))).toBe('644');
});

test('blunter means give the same mode', () => {
  // Where no folder can be made: written beside and linked, or an empty file.
  const withoutFolders = (port: DiskPort): DiskPort => ({
    ...port,
    mkdir() {
      throw errno('ENOSPC');
    },
  });
  for (const [means, port] of [
    ['direct', disk],
    ['empty', withoutLinks(disk)],
  ] as const) {
    const dir = scopeDir(0o2775);
    expect(arm(withoutFolders(port), dir, {})).toMatchObject({ armed: true, degraded: means });
    expect(modeOf(sentinelOf(dir))).toBe('664');
    expect(besideSentinel(dir)).toEqual([]);
  }
});

test.each([
  ['755', '755'],
  ['2775', '2775'],
  ['1777', '777'],
])('a tenure in a folder %s is %s: whoever may pause may take it over', (folder, expected) => {
  const dir = scopeDir(Number.parseInt(folder, 8));
  const modes: string[] = [];
  const watching = {
    ...disk,
    rename(from: string, to: string) {
      disk.rename(from, to);
      if (!to.endsWith(TENURE)) return;
      modes.push(modeOf(to));
    },
  };
  arm(watching, dir, {});
  expect(modes).toEqual([expected]);
});

test('a scope that is reached by a link takes the mode of the folder behind it', () => {
  const parent = scopeDir();
  mkdirSync(join(parent, 'real'));
  chmodSync(join(parent, 'real'), 0o2770);
  symlinkSync('real', join(parent, 'link'));
  expect(arm(disk, join(parent, 'link'), {})).toMatchObject({ armed: true });
  expect(modeOf(join(parent, 'real', 'ESTOP'))).toBe('660');
});
