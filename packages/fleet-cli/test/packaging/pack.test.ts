/**
 * The package as it is published: its tarball alone, installed globally, in an empty folder.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const packageFolder = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fleet-pack-'));
const prefix = join(folder, 'prefix');
const empty = join(folder, 'empty');
const installed = join(prefix, 'lib/node_modules/@fleet-estop/fleet-cli');

/** Only what a login gives: no settings of the runner's, and no fleet. */
const env = { PATH: process.env['PATH'] ?? '', HOME: folder };

function run(command: string, args: readonly string[], cwd: string) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const fleet = (...args: readonly string[]) => run(join(prefix, 'bin', 'fleet'), args, empty);

/** Runs until the test has finished, if not ended before. */
function start(...args: readonly string[]) {
  const child = spawn(join(prefix, 'bin', 'fleet'), args, {
    cwd: empty,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

beforeAll(() => {
  mkdirSync(empty);
  const packed = run('npm', ['pack', '--pack-destination', folder], packageFolder);
  expect(packed).toMatchObject({ status: 0 });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  // Offline: what is not in the tarball cannot come from anywhere else.
  const installing = run(
    'npm',
    ['install', '--global', '--offline', '--prefix', prefix, join(folder, tarball)],
    empty,
  );
  expect(installing).toMatchObject({ status: 0 });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the tarball alone makes a fleet, pauses it and says so', () => {
  const root = join(folder, 'fleet');
  expect(fleet('init', root, '--example')).toMatchObject({ status: 0 });
  expect(fleet('--root', root, 'pause', '-l', 'tier=interactive', '--ttl', '1h')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('PAUSED lane-a'),
  });
  expect(fleet('--root', root, 'status')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('2 of 3 profiles paused'),
  });
  expect(readdirSync(empty)).toEqual([]);
});

test('the version that it tells is the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  expect(fleet('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test('it has the watcher, which runs from it and whose events can be followed', async () => {
  const root = join(folder, 'watched');
  expect(fleet('init', root)).toMatchObject({ status: 0 });
  const printed = fleet('--root', root, 'watcher', '--once');
  expect(printed).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(printed.stdout)).toMatchObject({ schema: 'fleet/state/v1', root });

  const watcher = start('watcher', '--root', root, '--no-http');
  expect(fleet('watcher', '--root', root, '--check')).toMatchObject({ status: 0 });
  const events = start('events', '--root', root, '--json', '--recent', '9', '--type', 'hold.armed');
  expect(fleet('--root', root, 'pause', '--reason', 'packed')).toMatchObject({ status: 0 });
  const [line] = await once(events.stdout, 'data');
  expect(JSON.parse(String(line))).toMatchObject({ data: { hold: { reason: 'packed' } } });
  const ended = once(watcher, 'exit');
  watcher.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test('whose code is in it is named, with the licence', () => {
  const notices = readFileSync(join(installed, 'dist/bundle/THIRD-PARTY.txt'), 'utf8');
  const parts = notices.split('\n---\n\n');
  const names = parts.map((part) => / \d+\.\d+\.\d+$/m.exec(part)?.input.split(' ')[0]);
  expect(names).toEqual(
    expect.arrayContaining([
      ...['chokidar', 'commander', 'eventsource-parser', 'hono', 'pino', 'prom-client'],
      ...['standardwebhooks', 'yaml', 'zod'],
    ]),
  );
  // By the name of its licence alone only where its package has no more to offer.
  const named = parts.filter((part) => /^Licence: /m.test(part)).map((part) => part.split(' ')[0]);
  expect(named).toEqual(['standardwebhooks']);
});
