/**
 * The command line: single looks without a daemon, readiness, and usage errors.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arm } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { built, runWatcherProcess, startWatcherProcess } from '../support/process.ts';
import { disk, makeRoot, spoil } from '../support/watched.ts';

test('--once prints the state as one document, writes nothing and leaves with 0', () => {
  const root = makeRoot('lane-a', 'lane-b');
  arm(disk, join(root, 'profiles/lane-a'), { reason: 'fan-out' });
  const { code, stdout, stderr } = runWatcherProcess(['--root', root, '--once']);
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({
    schema: 'fleet/state/v1',
    root,
    epoch: null,
    gateways: null,
    profiles: [
      { name: 'lane-a', engaged: true, own: { holds: [{ reason: 'fan-out' }] } },
      { name: 'lane-b', engaged: false },
    ],
    unreadable: [],
  });
  expect(existsSync(join(root, '.fleet'))).toBe(false);
});

test.each(['--version', '-V'])('%s prints the version of the package, without a fleet', (word) => {
  const { code, stdout, stderr } = runWatcherProcess([word], { HOME: '/nonexistent' });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`${packageJson.version}\n`);
});

test('--once leaves with 3 where something could not be looked at, and says what', () => {
  const root = makeRoot('lane-a', 'lane-b');
  spoil(join(root, 'profiles/lane-a'));
  writeFileSync(join(root, 'profiles/lane-b/ESTOP'), 'deploy till noon');
  const { code, stdout } = runWatcherProcess(['--root', root, '--once']);
  expect(code).toBe(3);
  expect(JSON.parse(stdout).unreadable).toEqual([
    { what: join(root, 'profiles/lane-a'), why: 'ENOTDIR' },
  ]);
});

test('--once leaves with 0 where plain text holds', () => {
  const root = makeRoot('lane-a');
  writeFileSync(join(root, 'profiles/lane-a/ESTOP'), 'deploy till noon');
  expect(runWatcherProcess(['--root', root, '--once']).code).toBe(0);
});

test('--once answers while a watcher runs', async () => {
  const root = makeRoot('lane-a');
  await startWatcherProcess(root).logged('watching');
  expect(runWatcherProcess(['--root', root, '--once']).code).toBe(0);
});

test('what --once prints is safe to look at, and still the same text', () => {
  const root = makeRoot('lane-a');
  const reason = 'red \u001b[31m, \u202eright to left, \u2028and a \u{e0041}tag';
  writeFileSync(join(root, 'ESTOP'), JSON.stringify({ reason }));
  const { stdout } = runWatcherProcess(['--root', root, '--once']);
  expect(stdout.replaceAll('\n', '')).toMatch(/^[\x20-\x7e]*$/);
  expect(JSON.parse(stdout).scopes[0].holds[0].reason).toBe(reason);
});

test('a reader of --once that goes away changes no status', async () => {
  const names = Array.from({ length: 400 }, (_, n) => `lane-${n}`);
  const root = makeRoot(...names);
  const child = spawn(process.execPath, [built, '--root', root, '--once'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.destroy();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('--check waits until a watcher is ready', async () => {
  const root = makeRoot('lane-a');
  const early = spawn(process.execPath, [built, '--root', root, '--check']);
  const watcher = startWatcherProcess(root);
  expect(await once(early, 'exit')).toEqual([0, null]);
  await watcher.logged('watching');
});

test('--check leaves with 5 where none is ready in time, also after one was killed', async () => {
  const root = makeRoot('lane-a');
  const check = () => runWatcherProcess(['--root', root, '--check', '--timeout', '1s']);
  expect(check()).toMatchObject({ code: 5, stderr: expect.stringContaining('no watcher') });
  const watcher = startWatcherProcess(root);
  await watcher.logged('watching');
  watcher.signal('SIGKILL');
  await watcher.ended;
  expect(check().code).toBe(5);
});

test.each([
  ['a stray word', ['now']],
  ['an unknown option', ['--sweeps', '5s']],
  ['an option without its value', ['--sweep']],
  ['a sweep that is no duration', ['--sweep', 'often']],
  ['a sweep of nothing', ['--sweep', '0']],
  ['a sweep that bounds nothing', ['--sweep', '11m']],
  ['a way to observe that is not known', ['--observe', 'telepathy']],
  ['two things to do', ['--once', '--check']],
  ['an option twice', ['--sweep', '5s', '--sweep', '6s']],
  ['a timeout of nothing', ['--timeout', '5s']],
  ['a level that is not known', ['--log-level', 'shout']],
])('%s is refused, and nothing is made', (_what, words) => {
  const root = makeRoot('lane-a');
  const { code, stderr } = runWatcherProcess(['--root', root, ...words]);
  expect(code).toBe(2);
  expect(stderr).not.toBe('');
  expect(existsSync(join(root, '.fleet'))).toBe(false);
});

test('a root that does not exist, or that nothing names, is refused with what to do', () => {
  const missing = join(makeRoot(), 'missing');
  expect(runWatcherProcess(['--root', missing])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--root'),
  });
  expect(existsSync(missing)).toBe(false);
  expect(runWatcherProcess([])).toMatchObject({ code: 2 });
});

test('FLEET_ROOT names the root', () => {
  const root = makeRoot('lane-a');
  const { stdout } = runWatcherProcess(['--once'], { FLEET_ROOT: root });
  expect(JSON.parse(stdout).root).toBe(root);
});

test('help is printed, and is all that happens', () => {
  const { code, stdout } = runWatcherProcess(['--help']);
  expect([code, stdout.includes('--once')]).toEqual([0, true]);
});
