/** Homes and folders that cannot contain a register: the work there is unknown. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRegister } from '../../src/in-flight/read-register.ts';
import { until } from './support/holders.ts';
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
  const profileHome = join(home, 'lane-a');
  expect(readRegister(profileHome)).toEqual(unknown('../..', 'ENOENT'));
  symlinkSync('nowhere', profileHome);
  expect(readRegister(profileHome)).toEqual(unknown('../..', 'ENOENT'));
  rmSync(profileHome);
  writeFileSync(profileHome, '');
  expect(readRegister(profileHome).complete).toBe(false);
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

test('if the owners path is not a folder, no work can be recorded: the read is incomplete', () => {
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

test.each<[string, number, (home: string) => void]>([
  ['whose home is gone', 1, (home) => rmSync(home, { recursive: true })],
  ['whose `.fleet` leads nowhere', 1, (home) => symlinkSync('nowhere', join(home, '.fleet'))],
  [
    'that is a link to one without work',
    1,
    (home) => {
      mkdirSync(join(home, '.fleet'));
      mkdirSync(join(home, 'elsewhere'));
      symlinkSync('../elsewhere', folderOf(home));
    },
  ],
  [
    'whose owners are no folder',
    1,
    (home) => {
      mkdirSync(folderOf(home), { recursive: true });
      writeFileSync(join(folderOf(home), 'owners'), '');
    },
  ],
  ['in which nothing was begun', 0, (home) => mkdirSync(folderOf(home), { recursive: true })],
])('a register %s is counted as it is read', (_, count, put) => {
  const home = makeHome();
  put(home);
  const read = readRegister(home);
  expect(opened(home).count()).toBe(count);
  expect(read.complete ? [] : read.unreadable).toHaveLength(count);
});

test('a home that goes is counted with the next heartbeat, and one that comes back is not', async () => {
  const home = makeHome();
  const aside = `${home}-aside`;
  const register = opened(home, { leaseMs: 60 });
  const claim = register.begin(turn('s1'));
  expect(register.count()).toBe(1);
  renameSync(home, aside);
  await until(() => register.count() === 2);
  renameSync(aside, home);
  await until(() => register.count() === 1);
  expect(claim?.end()).toBe(true);
  expect(register.count()).toBe(0);
});

/** Replaces a folder, as a restore or a deploy does. Returns a function that puts it back. */
function replace(home: string): () => void {
  const aside = `${home}-aside`;
  renameSync(home, aside);
  mkdirSync(home);
  return () => {
    rmSync(home, { recursive: true });
    renameSync(aside, home);
  };
}

test('work that ended while its home was replaced is not in hand when the home is put back', async () => {
  const home = makeHome();
  const register = opened(home, { leaseMs: 60 });
  const claim = register.begin(turn('s1'));
  const putBack = replace(home);
  claim?.end();
  putBack();
  expect(register.begin(turn('s1'))?.end()).toBe(true);
  const other = register.begin(turn('s2'));
  const putBackAgain = replace(home);
  other?.end();
  putBackAgain();
  await until(() => fatesIn(home).length === 0);
  expect(register.count()).toBe(0);
});

test('work that ends after its home was replaced for a heartbeat and put back is in hand no more', async () => {
  const home = makeHome();
  const register = opened(home, { leaseMs: 60 });
  const claim = register.begin(turn('s1'));
  const putBack = replace(home);
  await until(() => fatesIn(home).length === 1);
  putBack();
  await until(() => fatesIn(home).length === 1 && claim?.recorded === true);
  expect(register.begin(turn('s1'))).toBeNull();
  expect(register.count()).toBe(1);
  claim?.end();
  await until(() => fatesIn(home).length === 0);
  expect(register.begin(turn('s1'))?.end()).toBe(true);
});

test('a register that is a link to another is reported, and the read is incomplete', () => {
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
