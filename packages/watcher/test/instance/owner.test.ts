/**
 * Which owners are certainly gone, which are alive, and which are unknown.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here, processAt } from '@fleet-estop/sentinel-core';
import { expect, onTestFinished, test } from 'vitest';
import { takeInstanceLock } from '../../src/instance/instance-lock.ts';
import { fateOf, type Owner, ourselves, parseOwner } from '../../src/instance/owner.ts';
import { makeRoot } from '../support/watched.ts';

/** As an older watcher says it, which does not name its folder. */
const us = (): Owner => ({ ...ourselves(tmpdir(), ['s-1', 'watcher.sock']), folder: '' });
const elsewhere = (more: Partial<Owner['place']>): Owner => ({
  ...us(),
  place: { ...here(), ...more },
});

async function deadPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid ?? 0;
}

test('this very process is alive', async () => {
  expect(await fateOf(us(), makeRoot())).toBe('alive');
});

test('a process that ended is gone', async () => {
  expect(await fateOf({ ...us(), pid: await deadPid() }, makeRoot())).toBe('gone');
});

test('a process id that was given to a later process is gone', async () => {
  expect(await fateOf({ ...us(), birth: '1' }, makeRoot())).toBe('gone');
});

test('a killed process that nobody has waited for is gone', async () => {
  // A shell that starts a child, and becomes something that never waits for it.
  const script = 'sleep 60 & echo $!; exec tail -f /dev/null';
  const parent: ChildProcess = spawn('sh', ['-c', script]);
  onTestFinished(() => {
    parent.kill('SIGKILL');
  });
  const [chunk] = await once(parent.stdout!, 'data');
  const zombie = Number(String(chunk).trim());
  const until = async (fits: () => boolean) => {
    while (!fits()) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'tail\n');
  process.kill(zombie, 'SIGKILL');
  await until(() => processAt(zombie) === 'gone');
  expect(() => process.kill(zombie, 0)).not.toThrow();
});

test('what ran before this machine was started again is gone', async () => {
  const before = { boot: 'another boot', machine: 'm1' };
  const now = { ...here(), machine: 'm1' };
  expect(await fateOf(elsewhere(before), makeRoot(), now)).toBe('gone');
});

test('what runs on another machine is unknown, though its id is free here', async () => {
  const folder = makeRoot();
  const pid = await deadPid();
  const now = { ...here(), machine: 'm1' };
  const fate = (place: Partial<Owner['place']>) =>
    fateOf({ ...elsewhere(place), pid }, folder, now);
  expect(await fate({ boot: 'b2', machine: 'm2' })).toBe('unknown');
  expect(await fate({ boot: 'b2', machine: 'm1', host: 'another' })).toBe('unknown');
  expect(await fate({ boot: 'b2', machine: '' })).toBe('unknown');
  expect(await fate({ boot: '', machine: 'm1' })).toBe('unknown');
});

test('in another container of this kernel, its socket tells', async () => {
  const folder = makeRoot();
  const owner = { ...elsewhere({ pids: 'another namespace' }), pid: await deadPid() };
  expect(await fateOf(owner, folder)).toBe('unknown');
  const listening = spawn(process.execPath, [
    '-e',
    `require('net').createServer().listen(${JSON.stringify(join(folder, 'watcher.sock'))}, () => console.log('listening'))`,
  ]);
  onTestFinished(() => {
    listening.kill('SIGKILL');
  });
  await once(listening.stdout!, 'data');
  expect(await fateOf(owner, folder)).toBe('alive');
  listening.kill('SIGSTOP');
  expect(await fateOf(owner, folder)).toBe('alive');
  listening.kill('SIGKILL');
  await once(listening, 'exit');
  expect(await fateOf(owner, folder)).toBe('gone');
});

test('a record comes back as it was written, and nonsense is none', () => {
  const owner = us();
  expect(parseOwner(JSON.stringify(owner))).toEqual(owner);
  for (const text of ['', '{', '[]', 'null', '{"pid":-1}', '{"pid":"1"}', '{"pid":1.5}']) {
    expect(parseOwner(text)).toBeNull();
  }
  const hostile = { ...owner, sockets: ['../../x', 5, 's-1'] };
  expect(parseOwner(JSON.stringify(hostile))?.sockets).toEqual(['s-1']);
});

function lockOfTheDead(root: string, text: string) {
  mkdirSync(join(root, '.fleet/watcher.lock'), { recursive: true });
  writeFileSync(join(root, '.fleet/watcher.lock/owner-1-dead'), text);
}

test('of ten who contend for a dead lock in one moment, exactly one has it', async () => {
  const pid = await deadPid();
  for (let round = 0; round < 20; round++) {
    const root = makeRoot();
    lockOfTheDead(root, JSON.stringify({ ...us(), pid }));
    const taken = await Promise.all(
      Array.from({ length: 10 }, () => takeInstanceLock(root, () => {})),
    );
    const locks = taken.flatMap((answer) => (answer.acquired ? [answer.instanceLock] : []));
    expect(locks).toHaveLength(1);
    for (const lock of locks) lock.leave();
  }
});

test('a lock that cannot be read is refused, and left as it is', async () => {
  const root = makeRoot();
  lockOfTheDead(root, '');
  expect(await takeInstanceLock(root, () => {})).toEqual({
    acquired: false,
    owner: null,
    why: 'lock-unreadable',
  });
});

test('a late takeover removes nothing of a successor', async () => {
  const root = makeRoot();
  lockOfTheDead(root, JSON.stringify({ ...us(), pid: await deadPid() }));
  const first = await takeInstanceLock(root, () => {});
  const second = await takeInstanceLock(root, () => {});
  expect(first.acquired).toBe(true);
  expect(second).toMatchObject({ acquired: false, fate: 'alive', owner: { pid: process.pid } });
  if (first.acquired) first.instanceLock.leave();
});

test('a folder that takes no sockets is an answer, and no crash', async () => {
  const root = makeRoot();
  writeFileSync(join(root, '.fleet'), '');
  expect(await takeInstanceLock(root, () => {})).toMatchObject({ acquired: false, owner: null });
});

test('a stale socket under the known name is replaced, a listening one of another root is not', async () => {
  const root = makeRoot();
  mkdirSync(join(root, '.fleet'));
  const path = join(root, '.fleet/watcher.sock');
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(path, resolve));
  const answer = await takeInstanceLock(root, () => {});
  if (answer.acquired) {
    answer.instanceLock.open();
    answer.instanceLock.leave();
  }
  other.close();
  expect(answer.acquired).toBe(true);
});
