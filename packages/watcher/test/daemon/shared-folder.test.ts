/**
 * Files that a watcher creates in a `.fleet/` that a group shares: a member who replaces them with
 * links cannot redirect the watcher to its own files.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureOf } from '@fleet-estop/sentinel-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeSocketIn } from '../../src/as-owner-of.ts';
import { stage, unstage } from '../../src/instance/lock-folder.ts';
import { ourselves } from '../../src/instance/owner.ts';
import { ownSocket } from '../../src/instance/socket.ts';
import { NOBODY, needsOtherUsers } from '../support/other-user.ts';

/** Moves aside whatever comes, and puts a link in its place. */
const SWAP = `
const { readdirSync, renameSync, symlinkSync } = require('node:fs');
const [folder, prefix, target] = process.argv.slice(1);
process.chdir(folder);
let n = 0;
process.stdout.write('ready');
for (;;) {
  for (const name of readdirSync('.')) {
    if (!name.startsWith(prefix)) continue;
    try {
      renameSync(name, 'aside-' + n++);
      symlinkSync(target, name);
    } catch {}
  }
}
`;

let above: string;
let folder: string;
let own: string;
let swapper: ChildProcess | undefined;

beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'fleet-shared-'));
  chmodSync(above, 0o755);
  folder = join(above, '.fleet');
  mkdirSync(folder);
  own = join(above, 'own');
  mkdirSync(own, { mode: 0o700 });
});
afterEach(async () => {
  if (swapper !== undefined) {
    // It still moves names about until it has ended.
    const ended = once(swapper, 'exit');
    swapper.kill('SIGKILL');
    await ended;
  }
  swapper = undefined;
  rmSync(above, { recursive: true, force: true, maxRetries: 5 });
});

async function startSwapping(prefix: string, target: string): Promise<void> {
  chownSync(folder, 0, NOBODY.gid);
  chmodSync(folder, 0o2770);
  const child = spawn(process.execPath, ['-e', SWAP, folder, prefix, target], {
    ...NOBODY,
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  swapper = child;
  await new Promise((ready) => child.stdout?.once('data', ready));
}

test.each([
  ['shared with a group', 0o2770, 0o660],
  ['of its owner alone', 0o700, 0o600],
])('a socket in a folder %s has its mode from its beginning', async (_, mode, expected) => {
  chmodSync(folder, mode);
  const path = join(folder, 'one');
  const server = createServer();
  makeSocketIn(folder, () => server.listen(path));
  expect(lstatSync(path).mode & 0o777).toBe(expected);
  await new Promise((closed) => server.close(closed));
});

describe('while somebody of the group swaps what comes', () => {
  needsOtherUsers();

  test('no mode of a file elsewhere is changed for a socket', async () => {
    const file = join(own, 'file');
    writeFileSync(file, '', { mode: 0o600 });
    await startSwapping('s-', file);
    for (let round = 0; round < 200; round++) {
      const socket = await ownSocket(folder, String(round), () => {}).catch(() => null);
      socket?.close();
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });

  test('no record of who has the lock is made elsewhere', async () => {
    await startSwapping('.watcher.lock-', own);
    for (let round = 0; round < 200; round++) {
      const token = round.toString(16).padStart(8, '0');
      failureOf(() => stage(folder, token, ourselves(folder, [])));
      failureOf(() => unstage(folder, token));
    }
    expect(readdirSync(own)).toEqual([]);
  });
});
