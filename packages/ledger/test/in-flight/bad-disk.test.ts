/** Disks that refuse, and registers with foreign content. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listClaims } from '../../src/in-flight/claims.ts';
import { readRegister } from '../../src/in-flight/read-register.ts';
import type { Unrecorded } from '../../src/in-flight/register.ts';
import { until } from './support/holders.ts';
import {
  claimOf,
  entriesOf,
  fatesIn,
  folderOf,
  leave,
  makeHome,
  opened,
  turn,
} from './support/homes.ts';

const QUICK_MS = 60;

test('work goes on without a record, is said to, and is recorded once the disk allows', async () => {
  const home = makeHome();
  writeFileSync(join(home, '.fleet'), '');
  const said: Unrecorded[] = [];
  const register = opened(home, {
    leaseMs: QUICK_MS,
    onUnrecorded: (unrecorded) => said.push(unrecorded),
  });
  const claim = register.begin(turn('s1'));
  expect(claim?.recorded).toBe(false);
  expect(register.begin(turn('s1'))).toBeNull();
  await until(() => said.length > 0);
  expect(said).toEqual([{ door: 'turn', id: 's1', why: 'ENOTDIR' }]);
  expect(register.list()).toMatchObject({
    complete: false,
    work: [{ id: 's1', fate: 'running', pid: process.pid }],
  });
  rmSync(join(home, '.fleet'));
  await until(() => claim?.recorded === true);
  expect(fatesIn(home)).toEqual([['s1', 'running']]);
  expect(said).toHaveLength(1);
  expect(claim?.end()).toBe(true);
  expect(fatesIn(home)).toEqual([]);
});

test('unrecorded work ends like any other', () => {
  const home = makeHome();
  writeFileSync(join(home, '.fleet'), '');
  const register = opened(home);
  const claim = register.begin(turn('s1'));
  expect(claim?.end()).toBe(true);
  expect(claim?.end()).toBe(false);
  expect(register.begin(turn('s1'))).not.toBeNull();
});

test('a register that is removed under a running gateway is made again', async () => {
  const home = makeHome();
  const register = opened(home, { leaseMs: QUICK_MS });
  const claim = register.begin(turn('s1'));
  rmSync(join(home, '.fleet'), { recursive: true });
  await until(() => fatesIn(home).length === 1);
  expect(fatesIn(home)).toEqual([['s1', 'running']]);
  rmSync(join(home, '.fleet'), { recursive: true });
  expect(register.begin(turn('s2'))?.recorded).toBe(true);
  await until(() => fatesIn(home).length === 2);
  expect(claim?.end()).toBe(true);
});

test('a register that was removed a moment ago is made again by the next beginning', () => {
  const home = makeHome();
  const register = opened(home);
  register.begin(turn('s1'));
  rmSync(join(home, '.fleet'), { recursive: true });
  expect(register.begin(turn('s2'))?.recorded).toBe(true);
});

test('an owner that began the same work after a removal keeps it, and the first one is notified', async () => {
  const home = makeHome();
  const said: Unrecorded[] = [];
  const first = opened(home, { leaseMs: QUICK_MS, onUnrecorded: (one) => said.push(one) });
  const claim = first.begin(turn('s1'));
  rmSync(folderOf(home), { recursive: true });
  const second = opened(home);
  expect(second.begin(turn('s1'))).not.toBeNull();
  await until(() => said.length > 0);
  expect(said).toEqual([{ door: 'turn', id: 's1', why: 'stands' }]);
  expect(claim?.end()).toBe(false);
  expect(entriesOf(home, 's1')[0]?.startsWith(second.owner)).toBe(true);
});

test('an owner whose folder alone was removed keeps its claims', async () => {
  const home = makeHome();
  const register = opened(home, { leaseMs: QUICK_MS });
  const claim = register.begin(turn('s1'));
  const entries = entriesOf(home, 's1');
  rmSync(join(folderOf(home), 'owners'), { recursive: true });
  expect(fatesIn(home)).toEqual([['s1', 'unproven']]);
  await until(() => fatesIn(home)[0]?.[1] === 'running');
  await until(() => claim?.recorded === true);
  expect(entriesOf(home, 's1')).toEqual(entries);
  expect(claim?.end()).toBe(true);
});

test('a register that cannot be read is never taken for none', () => {
  const home = makeHome();
  mkdirSync(join(home, '.fleet'));
  writeFileSync(folderOf(home), '');
  expect(readRegister(home)).toEqual({
    complete: false,
    work: [],
    unreadable: [{ path: 'claims', why: 'ENOTDIR' }],
  });
  expect(opened(home).count()).toBe(1);
});

test('anything else at a claim’s path is reported, and no work begins there', () => {
  const home = makeHome();
  const register = opened(home);
  register.begin(turn('s0'));
  writeFileSync(claimOf(home, 's1'), '');
  symlinkSync('/', claimOf(home, 's2'));
  writeFileSync(join(folderOf(home), 'claims/.note'), '');
  for (const id of ['s1', 's2']) expect(register.begin(turn(id))).toBeNull();
  const read = readRegister(home);
  expect(read.work).toMatchObject([{ id: 's0' }]);
  expect(read.complete ? [] : read.unreadable.map(({ why }) => why).sort()).toEqual([
    'ENOTDIR',
    'not-a-claim',
    'not-a-claim',
  ]);
});

test('while something cannot be read, nobody’s owner is cleared away', () => {
  const home = makeHome();
  const owner = leave(home, 's1', {});
  const note = join(folderOf(home), 'claims/.note');
  writeFileSync(note, '');
  expect(opened(home).found.cutOff).toHaveLength(1);
  expect(readdirSync(join(folderOf(home), 'owners'))).toEqual([owner]);
  rmSync(note);
  opened(home);
  expect(readdirSync(join(folderOf(home), 'owners'))).toEqual([]);
});

test('a claim of which the text is a pipe, a link or too long is work without a name', () => {
  const home = makeHome();
  const register = opened(home);
  const text = JSON.stringify({ door: 'turn', id: 'read' });
  const elsewhere = join(home, 'elsewhere');
  writeFileSync(elsewhere, text);
  const put: ((path: string) => void)[] = [
    (path) => expect(spawnSync('mkfifo', [path]).status).toBe(0),
    (path) => symlinkSync(elsewhere, path),
    (path) => writeFileSync(path, text + ' '.repeat(10_000)),
    (path) => writeFileSync(path, '[1]'),
  ];
  put.forEach((make, at) => {
    register.begin(turn(`s${at}`));
    const [entry = ''] = entriesOf(home, `s${at}`);
    rmSync(join(claimOf(home, `s${at}`), entry));
    make(join(claimOf(home, `s${at}`), entry));
  });
  const { work } = readRegister(home);
  expect(work).toHaveLength(put.length);
  for (const one of work) expect(one).toMatchObject({ door: null, id: null, fate: 'running' });
});

test('a register that is a link to elsewhere is not followed', () => {
  const home = makeHome();
  const elsewhere = mkdtempSync(join(tmpdir(), 'fleet-elsewhere-'));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  mkdirSync(join(home, '.fleet'));
  symlinkSync(elsewhere, folderOf(home));
  expect(opened(home).begin(turn('s1'))?.recorded).toBe(false);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('with a full disk the work of another is respected, and one’s own goes on', () => {
  const home = makeHome();
  const [one, other] = [opened(home), opened(home)];
  one.begin(turn('s1'));
  other.begin(turn('s2'));
  // Like a full disk: nothing can be prepared.
  rmSync(join(folderOf(home), 'owners', other.owner), { recursive: true });
  writeFileSync(join(folderOf(home), 'owners', other.owner), '');
  expect(other.begin(turn('s1'))).toBeNull();
  expect(other.begin(turn('s3'))?.recorded).toBe(false);
});

test('in a home that is shared with a group, the register is too', () => {
  const home = makeHome();
  chmodSync(home, 0o2770);
  opened(home).begin(turn('s1'));
  const [entry = ''] = entriesOf(home, 's1');
  for (const path of [join(home, '.fleet'), folderOf(home), claimOf(home, 's1')]) {
    expect(statSync(path).mode & 0o7777).toBe(0o2770);
  }
  expect(statSync(join(claimOf(home, 's1'), entry)).mode & 0o777).toBe(0o660);
});

test('if there are more claims than are read, that is reported', () => {
  const home = makeHome();
  const register = opened(home);
  for (const id of ['s1', 's2', 's3']) register.begin(turn(id));
  const all = listClaims(home, { most: 3 });
  expect([all.claims.length, all.unreadable]).toEqual([3, []]);
  const some = listClaims(home, { most: 2 });
  expect([some.claims.length, some.unreadable]).toEqual([2, [{ path: 'claims', why: 'too-many' }]]);
});

test('entries count, not folders: many in each folder are not read beyond that either', () => {
  const home = makeHome();
  const register = opened(home);
  for (const id of ['s1', 's2', 's3', 's4']) {
    register.begin(turn(id));
    for (let at = 1; at < 10; at++) writeFileSync(join(claimOf(home, id), `${at}-x`), '');
  }
  const { claims, unreadable } = listClaims(home, { most: 15 });
  expect([claims.length, unreadable]).toEqual([20, [{ path: 'claims', why: 'too-many' }]]);
});

test.each([
  ['a few', 17, 1],
  ['so many that their folder is long', 1_000, 200],
])('of a claim with %s entries only some are read, and that is reported', (_, most, length) => {
  const home = makeHome();
  opened(home).begin(turn('s1'));
  for (let at = 1; at < most; at++) {
    writeFileSync(join(claimOf(home, 's1'), `${at}-${'x'.repeat(length)}`), '');
  }
  const { claims, unreadable } = listClaims(home);
  expect(claims).toHaveLength(16);
  expect(unreadable).toMatchObject([{ why: 'too-many' }]);
});

test('what an author’s function throws costs no work', async () => {
  const home = makeHome();
  writeFileSync(join(home, '.fleet'), '');
  const uncaught = vi.fn();
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', uncaught);
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of before) process.on('uncaughtException', listener);
  });
  const register = opened(home, {
    onUnrecorded() {
      throw new Error('of the author');
    },
  });
  expect(register.begin(turn('s1'))).not.toBeNull();
  await until(() => uncaught.mock.calls.length > 0);
  expect(register.count()).toBe(2);
});
