/**
 * The commands of the page about draining are run with a watcher, and with a gateway that serves every profile
 * of the example.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openGate } from '@fleet-estop/gateway';
import { expect, onTestFinished, test } from 'vitest';
import { commandsOf, exampleFleet, readPage, repository } from './page.ts';

const root = exampleFleet();
const commands = commandsOf(readPage('docs/drain.md'));
const LAUNCHER = join(repository, 'packages/fleet-cli/bin/fleet.js');

/** Not waited for with `spawnSync`: the gateway is in this process. */
async function statusOf(line: string): Promise<number | null> {
  const words = line
    .replaceAll('DIR', root)
    .replace(/^npx fleet/, `'${process.execPath}' ${LAUNCHER}`);
  const env = { ...process.env, FLEET_HOLDER: 'reader' };
  const child = spawn('/bin/sh', ['-c', words], { env, stdio: 'ignore' });
  const [status] = await once(child, 'exit');
  return status;
}

test('every command of the page does what is written beside it', {
  timeout: 120_000,
}, async () => {
  expect(commands.length).toBeGreaterThan(5);
  const watcher = spawn(process.execPath, [LAUNCHER, '--root', root, 'watcher', '--no-http'], {
    stdio: 'ignore',
  });
  onTestFinished(() => void watcher.kill('SIGKILL'));
  expect(await statusOf('npx fleet --root DIR watcher --check')).toBe(0);
  const profiles = join(root, 'profiles');
  const home = readdirSync(profiles).map((name) => join(profiles, name));
  const gate = openGate({ home, software: 'by-the-test/1', keepAlive: false });
  onTestFinished(() => gate.close());
  await expect.poll(() => gate.link().link).toBe('connected');
  // A watcher that has just started cannot know who is missing, and nothing is drained until then.
  expect(await statusOf('npx fleet --root DIR pause --drain -p lane-a')).toBe(0);
  for (const line of commands)
    expect({ line, status: await statusOf(line) }).toEqual({ line, status: 0 });
});
