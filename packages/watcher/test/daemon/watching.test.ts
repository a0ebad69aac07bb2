/**
 * The whole watcher on a real fleet: what it logs, and when.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendJournal, arm, formatInstant, journalPath, lift } from '@fleet-estop/sentinel-core';
import { expect, onTestFinished, test } from 'vitest';
import { built, startWatcherProcess } from '../support/process.ts';
import { disk, makeRoot } from '../support/watched.ts';

async function watching(...words: readonly string[]) {
  const root = makeRoot('lane-a', 'lane-b');
  const watcher = startWatcherProcess(root, ...words);
  await watcher.logged('watching');
  return { root, home: join(root, 'profiles/lane-a'), ...watcher };
}

test('an arm is logged as one event, with what may be seen of it', async () => {
  const { home, logged } = await watching();
  arm(disk, home, { reason: 'runaway', allow: { userIds: ['someone@example.org'] } });
  const line = await logged('hold.armed');
  expect(line).toMatchObject({
    subject: 'profile/lane-a',
    data: { hold: { reason: 'runaway', holder: 'operator', allowed_users: 1 } },
  });
  expect(JSON.stringify(line)).not.toContain('someone@example.org');
});

test('a lift with its line in the journal is a lift; an rm is not', async () => {
  const { root, home, logged } = await watching();
  arm(disk, home, { reason: 'one' });
  await logged('hold.armed');
  const actor = { user: 'someone', host: 'h', pid: 1, via: 'fleet resume' };
  const lifted = lift(disk, home, { everyone: true });
  const holds = lifted.lifted ? lifted.holds : [];
  appendJournal(root, { event: 'lift', scope: home, holds, generation: null, actor });
  expect(await logged('hold.lifted')).toMatchObject({ data: { actor } });
  arm(disk, home, { reason: 'two' });
  await logged('hold.armed', (line) => line['data'].hold.reason === 'two');
  unlinkSync(join(home, 'ESTOP'));
  expect(await logged('hold.cleared-externally')).toMatchObject({
    data: { hold: { reason: 'two' }, journal: 'no line' },
  });
});

test('what expires is retired, and stands in the journal', async () => {
  const { root, home, logged } = await watching();
  arm(disk, home, { expiresAt: formatInstant(Date.now() + 500) });
  await logged('hold.expired');
  await logged('retired an expired sentinel');
  const lines = readFileSync(journalPath(root), 'utf8').trim().split('\n');
  // The arm above left no line, so on a slow machine the watcher has recorded that it saw the hold, too.
  const records = lines.map((line) => JSON.parse(line));
  expect(records.filter(({ event }) => event !== 'foreign-arm')).toMatchObject([
    { event: 'retire', profile: 'lane-a', actor: { user: 'tester', via: 'fleet-watcher' } },
  ]);
});

test('a broken edit of fleet.yaml keeps the last good settings, and says where the mistake is', async () => {
  const { root, logged, log } = await watching();
  const file = join(root, 'fleet.yaml');
  writeFileSync(file, 'version: 1\nwatcher:\n  sweep: 7s\n');
  await logged('settings in force', (line) => line['settings'].watcher?.sweep.ms === 7_000);
  writeFileSync(file, 'version: 1\nwatcher:\n  sweep: soon\n');
  expect(await logged('settings refused')).toMatchObject({
    level: 50,
    inForce: 'last-good',
    problems: [expect.stringContaining(`${file}:3:10`)],
  });
  expect(log.filter(({ msg }) => msg === 'settings in force')).toHaveLength(1);
  writeFileSync(file, 'version: 1\nobserve: poll\n');
  await logged('settings are valid again');
  await logged('settings in force', (line) => line['settings'].observe === 'poll');
});

test('a fleet.yaml that is broken at the start is said, and the watcher watches by the defaults', async () => {
  const root = makeRoot('lane-a');
  writeFileSync(join(root, 'fleet.yaml'), 'observe: [\n');
  const watcher = startWatcherProcess(root);
  expect(await watcher.logged('settings refused')).toMatchObject({ inForce: 'defaults' });
  expect(await watcher.logged('watching')).toMatchObject({ mode: 'auto', sweepMs: 5_000 });
});

test('what the command line says overrules fleet.yaml, also after an edit', async () => {
  const { root, home, logged } = await watching('--observe', 'poll', '--sweep', '2s');
  writeFileSync(join(root, 'fleet.yaml'), 'version: 1\nobserve: native\n');
  await logged('settings in force');
  expect(await logged('watching')).toMatchObject({ mode: 'poll', sweepMs: 2_000 });
  arm(disk, home, {});
  await logged('hold.armed');
});

test('holds that stand at the start are said, and what runs is not said to have been resumed', async () => {
  const root = makeRoot('lane-a', 'lane-b');
  arm(disk, join(root, 'profiles/lane-a'), { reason: 'before' });
  const watcher = startWatcherProcess(root);
  expect(await watcher.logged('hold.armed')).toMatchObject({
    data: { hold: { reason: 'before' } },
  });
  await watcher.logged('watching');
  arm(disk, root, {});
  await watcher.logged('profile.paused', (line) => line['subject'] === 'profile/lane-b');
  expect(watcher.log.map(({ msg }) => msg)).not.toContain('profile.running');
});

test('a root that is replaced under the watcher is watched again, lock and all', async () => {
  const { root, logged, signal, ended } = await watching('--sweep', '1s');
  rmSync(root, { recursive: true });
  await logged('the instance lock is lost');
  const lane = makeRoot('lane-c');
  // Made elsewhere and moved into place, as a restored volume would be.
  renameSync(lane, root);
  arm(disk, join(root, 'profiles/lane-c'), {});
  await logged('hold.armed', (line) => line['subject'] === 'profile/lane-c');
  signal('SIGTERM');
  expect(await ended).toBe(0);
});

test('a reader of its log that stops reading, or goes away, does not stop the watcher', async () => {
  const root = makeRoot('lane-a');
  const sentinel = join(root, 'profiles/lane-a/ESTOP');
  const retiredByTheWatcher = async () => {
    writeFileSync(sentinel, JSON.stringify({ expires_at: '2020-01-01T00:00:00+00:00' }));
    while (existsSync(sentinel)) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const child = spawn(process.execPath, [built, '--root', root], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stderr, 'readable');
  // Nobody reads from here on. Each of these is a line of 60 KB, and a pipe holds less than ten.
  for (let n = 0; n < 40; n++) {
    writeFileSync(sentinel, JSON.stringify({ reason: `${n} ${'x'.repeat(60_000)}` }));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await retiredByTheWatcher();
  child.stderr.destroy();
  await retiredByTheWatcher();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
