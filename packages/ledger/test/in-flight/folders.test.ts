/** Homes and folders that are not what a register is kept in: what is in hand there is not known. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRegister } from '../../src/in-flight/read-register.ts';
import { fatesIn, folderOf, leave, makeHome, opened, turn } from './support/homes.ts';

const NOTHING = { complete: true, work: [] };
const unknown = (path: string, why: string) => ({
  complete: false,
  work: [],
  unreadable: [{ path, why }],
});

test('a home in which nothing was begun has nothing in hand, however far its folders were made', () => {
  const home = makeHome();
  expect(readRegister(home)).toEqual(NOTHING);
  for (const made of ['.fleet', '.fleet/in-flight', '.fleet/in-flight/claims']) {
    mkdirSync(join(home, made));
    expect([made, readRegister(home)]).toEqual([made, NOTHING]);
  }
});

test('of a home that is not there nothing is known', () => {
  const home = makeHome();
  const lane = join(home, 'lane-a');
  expect(readRegister(lane)).toEqual(unknown('../..', 'ENOENT'));
  symlinkSync('nowhere', lane);
  expect(readRegister(lane)).toEqual(unknown('../..', 'ENOENT'));
  rmSync(lane);
  writeFileSync(lane, '');
  expect(readRegister(lane).complete).toBe(false);
});

test('folders that are links to nowhere are not folders that nobody has made', () => {
  const home = makeHome();
  symlinkSync('nowhere', join(home, '.fleet'));
  expect(readRegister(home)).toEqual(unknown('..', 'dangling-link'));
  rmSync(join(home, '.fleet'));
  mkdirSync(join(home, '.fleet'));
  symlinkSync('nowhere', folderOf(home));
  expect(readRegister(home)).toEqual(unknown('.', 'ENOTDIR'));
  rmSync(folderOf(home));
  mkdirSync(folderOf(home));
  for (const folder of ['claims', 'owners']) {
    symlinkSync('nowhere', join(folderOf(home), folder));
    expect(readRegister(home)).toEqual(unknown(folder, 'ENOTDIR'));
    rmSync(join(folderOf(home), folder));
  }
});

test('while owners are no folder nobody can record work: what is told is not all', () => {
  const home = makeHome();
  leave(home, 's1', {});
  const owners = join(folderOf(home), 'owners');
  rmSync(owners, { recursive: true });
  writeFileSync(owners, '');
  const fresh = opened(home);
  expect(fresh.begin(turn('s2'))?.recorded).toBe(false);
  expect(readRegister(home)).toMatchObject({
    complete: false,
    work: [{ id: 's1', fate: 'unproven' }],
    unreadable: [{ path: 'owners', why: 'ENOTDIR' }],
  });
});

test('a register that is a link to another is told, and is not all', () => {
  const home = makeHome();
  leave(home, 's1', {});
  renameSync(folderOf(home), join(home, 'elsewhere'));
  symlinkSync('../elsewhere', folderOf(home));
  expect(readRegister(home)).toMatchObject({
    complete: false,
    work: [{ id: 's1' }],
    unreadable: [{ path: '.', why: 'ENOTDIR' }],
  });
});

test('a `.fleet` that is a link to a folder is used by gateways, and read', () => {
  const home = makeHome();
  mkdirSync(join(home, 'elsewhere'));
  symlinkSync('elsewhere', join(home, '.fleet'));
  expect(readRegister(home)).toEqual(NOTHING);
  expect(opened(home).begin(turn('s1'))?.recorded).toBe(true);
  expect(readRegister(home).complete).toBe(true);
  expect(fatesIn(home)).toEqual([['s1', 'running']]);
});
