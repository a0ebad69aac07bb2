/**
 * The package as it is published: its tarball alone, installed globally, in an empty folder.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const packageFolder = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fleet-pack-'));
const prefix = join(folder, 'prefix');
const empty = join(folder, 'empty');

/** Only what a login gives: no settings of the runner's, and no fleet. */
const env = { PATH: process.env['PATH'] ?? '', HOME: folder };

function run(command: string, args: readonly string[], cwd: string) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const fleet = (...args: readonly string[]) => run(join(prefix, 'bin', 'fleet'), args, empty);

beforeAll(() => {
  mkdirSync(empty);
  const packed = run('npm', ['pack', '--pack-destination', folder], packageFolder);
  expect(packed).toMatchObject({ status: 0 });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  // Offline: what is not in the tarball cannot come from anywhere else.
  const installed = run(
    'npm',
    ['install', '--global', '--offline', '--prefix', prefix, join(folder, tarball)],
    empty,
  );
  expect(installed).toMatchObject({ status: 0 });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the tarball alone makes a fleet, pauses it and says so', () => {
  const root = join(folder, 'fleet');
  expect(fleet('init', root)).toMatchObject({ status: 0 });
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
