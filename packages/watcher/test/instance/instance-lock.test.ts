/**
 * One watcher per root, whatever happens to it.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { answerAt } from '../../src/instance/owner.ts';
import { NOBODY, needsOtherUsers } from '../support/other-user.ts';
import {
  startWatcherProcess,
  startWatcherProcessAs,
  type WatcherProcess,
} from '../support/process.ts';
import { makeRoot } from '../support/watched.ts';

const socketOf = (root: string) => join(root, '.fleet/watcher.sock');

async function running(root: string): Promise<WatcherProcess> {
  const watcher = startWatcherProcess(root);
  await watcher.logged('watching');
  return watcher;
}

test('a second watcher of a root refuses, and names the process of the first', async () => {
  const root = makeRoot('lane-a');
  const first = await running(root);
  const second = startWatcherProcess(root);
  expect(await second.ended).toBe(1);
  expect(second.log).toMatchObject([{ code: 'watcher-running', owner: first.pid }]);
  first.signal('SIGTERM');
  expect(await first.ended).toBe(0);
});

test('a stopped watcher still has its lock', async () => {
  const root = makeRoot('lane-a');
  const first = await running(root);
  first.signal('SIGSTOP');
  const second = startWatcherProcess(root);
  expect(await second.ended).toBe(1);
  expect(second.log).toMatchObject([{ code: 'watcher-running', owner: first.pid }]);
  expect(await answerAt(socketOf(root))).toBe('');
  first.signal('SIGCONT');
  first.signal('SIGTERM');
  expect(await first.ended).toBe(0);
});

test('the lock and the socket of one that was killed are taken over', async () => {
  const root = makeRoot('lane-a');
  const first = await running(root);
  first.signal('SIGKILL');
  expect(await first.ended).toBe('SIGKILL');
  expect(await answerAt(socketOf(root))).toBe('ECONNREFUSED');
  const second = await running(root);
  expect(await answerAt(socketOf(root))).toBe('');
  expect(second.pid).not.toBe(first.pid);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends it with status 0, and it leaves nothing of its own behind',
  async (signal) => {
    const root = makeRoot('lane-a');
    const watcher = await running(root);
    watcher.signal(signal);
    expect(await watcher.ended).toBe(0);
    expect(readdirSync(join(root, '.fleet'))).toEqual([]);
    expect(watcher.log.at(-1)).toMatchObject({ msg: 'stopped', signal });
  },
);

test('of many who take over a dead lock at once, exactly one has it', async () => {
  const root = makeRoot('lane-a');
  const dead = await running(root);
  dead.signal('SIGKILL');
  await dead.ended;
  const crowd = Array.from({ length: 5 }, () => startWatcherProcess(root));
  const endings = crowd.map(async (watcher) => {
    const started = watcher.logged('watching').then(() => 'watching' as const);
    return Promise.race([started, watcher.ended]);
  });
  expect((await Promise.all(endings)).sort()).toEqual([1, 1, 1, 1, 'watching']);
});

test('one whose lock was taken while it was stopped leaves, and touches nothing of the successor', async () => {
  const root = makeRoot('lane-a');
  const first = startWatcherProcess(root, '--sweep', '1s');
  await first.logged('watching');
  first.signal('SIGSTOP');
  // What no watcher does: somebody cleared the lock by hand.
  rmSync(join(root, '.fleet/watcher.lock'), { recursive: true });
  const second = await running(root);
  const { ino } = lstatSync(socketOf(root));
  first.signal('SIGCONT');
  expect(await first.ended).toBe(1);
  expect(first.log.at(-1)).toMatchObject({ code: 'watcher-running', owner: second.pid });
  expect(lstatSync(socketOf(root)).ino).toBe(ino);
  expect(await answerAt(socketOf(root))).toBe('');
  second.signal('SIGTERM');
  expect(await second.ended).toBe(0);
});

test('a lock and a socket that vanish under a running watcher are made again', async () => {
  const root = makeRoot('lane-a');
  const watcher = startWatcherProcess(root, '--sweep', '1s');
  await watcher.logged('watching');
  for (const name of ['watcher.sock', 'watcher.lock']) {
    rmSync(join(root, '.fleet', name), { recursive: true });
    while (!existsSync(join(root, '.fleet', name)) || (await answerAt(socketOf(root))) !== '') {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const second = startWatcherProcess(root);
  expect(await second.ended).toBe(1);
  watcher.signal('SIGTERM');
  expect(await watcher.ended).toBe(0);
  expect(readdirSync(join(root, '.fleet'))).toEqual([]);
});

async function untilItListens(root: string): Promise<void> {
  while ((await answerAt(socketOf(root))) !== '') {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('a root that was away for longer than a sweep is found again as it was, and so is its watcher', async () => {
  const root = makeRoot('lane-a');
  const watcher = startWatcherProcess(root, '--sweep', '1s');
  await watcher.logged('watching');
  renameSync(root, `${root}-away`);
  onTestFinished(() => rmSync(`${root}-away`, { recursive: true, force: true }));
  await watcher.logged('the instance lock is lost', ({ why }) => why === 'ENOENT');
  renameSync(`${root}-away`, root);
  await watcher.logged('the fleet can be read again');
  await untilItListens(root);
  watcher.signal('SIGTERM');
  expect(await watcher.ended).toBe(0);
  expect(readdirSync(join(root, '.fleet'))).toEqual([]);
});

test('an older lock of its own that comes back with its folder is nobody else’s', async () => {
  const root = makeRoot('lane-a');
  const folder = join(root, '.fleet');
  const watcher = startWatcherProcess(root, '--sweep', '1s');
  await watcher.logged('watching');
  renameSync(folder, join(root, 'older'));
  await untilItListens(root);
  renameSync(folder, join(root, 'newer'));
  renameSync(join(root, 'older'), folder);
  await untilItListens(root);
  watcher.signal('SIGTERM');
  expect(await watcher.ended).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

describe('as another user', () => {
  needsOtherUsers();

  test('one that may not remove its socket any more ends all the same, and says nothing of a bug', async () => {
    const root = makeRoot('lane-a');
    chownSync(root, NOBODY.uid, NOBODY.gid);
    const watcher = startWatcherProcessAs(NOBODY, root);
    await watcher.logged('watching');
    chmodSync(join(root, '.fleet'), 0o500);
    watcher.signal('SIGTERM');
    expect(await watcher.ended).toBe(0);
    expect(watcher.log.at(-1)).toMatchObject({ msg: 'stopped' });
  });
});

test.each(['pipe', 'record that is none'])(
  'a %s in the place of an owner keeps nobody waiting: the root is refused, with what to repair',
  async (what) => {
    const root = makeRoot('lane-a');
    const lock = join(root, '.fleet/watcher.lock');
    mkdirSync(lock, { recursive: true });
    const entry = join(lock, 'owner-1-00000000');
    if (what === 'pipe') execFileSync('mkfifo', [entry]);
    else writeFileSync(entry, 'x'.repeat(100_000));
    const watcher = startWatcherProcess(root);
    expect(await watcher.ended).toBe(1);
    const hint = `repair ${join(root, '.fleet')}`;
    expect(watcher.log).toMatchObject([{ code: 'lock-unreadable', hint }]);
  },
);

test('nobody but the owner may connect', async () => {
  const root = makeRoot('lane-a');
  await running(root);
  expect(statSync(join(root, '.fleet')).mode & 0o777).toBe(0o700);
  expect(lstatSync(socketOf(root)).mode & 0o777).toBe(0o600);
});

test('a root whose socket path is too long is refused before anything is made', async () => {
  const deep = join(makeRoot(), 'd'.repeat(120));
  mkdirSync(join(deep, 'profiles'), { recursive: true });
  const watcher = startWatcherProcess(deep);
  expect(await watcher.ended).toBe(1);
  expect(watcher.log).toMatchObject([
    { code: 'socket-path-too-long', path: socketOf(deep), most: 107, hint: 'use a shorter root' },
  ]);
  expect(existsSync(join(deep, '.fleet'))).toBe(false);
});

test('the watcher of a copied fleet starts while the original’s runs, and neither disturbs the other', async () => {
  const root = makeRoot('lane-a');
  const first = await running(root);
  const copies = makeRoot();
  for (const how of ['-a', '-r']) {
    const copy = join(copies, `copy${how}`);
    // Without `-a` a socket cannot be copied, and that is said.
    try {
      execFileSync('cp', [how, root, copy], { stdio: 'ignore' });
    } catch {
      rmSync(join(copy, '.fleet/watcher.sock'), { force: true });
    }
    const second = await running(copy);
    expect(await answerAt(socketOf(copy))).toBe('');
    const third = startWatcherProcess(copy);
    expect(await third.ended).toBe(1);
    expect(third.log).toMatchObject([{ code: 'watcher-running', owner: second.pid }]);
  }
  expect(await answerAt(socketOf(root))).toBe('');
  const again = startWatcherProcess(root);
  expect(await again.ended).toBe(1);
  expect(again.log).toMatchObject([{ owner: first.pid }]);
});

test('a record that names another folder is no proof that its watcher is gone: who listens here has the lock', async () => {
  const root = makeRoot('lane-a');
  const first = await running(root);
  const lock = join(root, '.fleet/watcher.lock');
  const [entry = ''] = readdirSync(lock);
  const record = JSON.parse(readFileSync(join(lock, entry), 'utf8'));
  expect(record.folder).toMatch(/^\d+:\d+$/);
  writeFileSync(join(lock, entry), JSON.stringify({ ...record, folder: '1:1' }));
  first.signal('SIGSTOP');
  const second = startWatcherProcess(root);
  expect(await second.ended).toBe(1);
  expect(second.log).toMatchObject([{ code: 'watcher-running', owner: first.pid }]);
  first.signal('SIGCONT');
});
