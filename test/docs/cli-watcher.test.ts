/**
 * The part of the command's tour that needs a watcher is run with one, and with a gateway that
 * acknowledges.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openGate } from '@fleet-estop/gateway';
import { expect, onTestFinished, test } from 'vitest';
import { exampleFleet, readPage, repository } from './page.ts';

const root = exampleFleet();

const [, section = ''] = /^## With a watcher\n(.*?)^## /ms.exec(readPage('docs/cli.md')) ?? [];
const commands = [...section.matchAll(/^npx (fleet .*?)(?:\s+#.*)?$/gm)].map(
  ([, line = '']) => line,
);

/** As a shell would start it, and followed line by line. */
function start(line: string) {
  const words = line.replace('DIR', root).replace(/^fleet/, 'packages/fleet-cli/bin/fleet.js');
  const command = `exec '${process.execPath}' ${words}`;
  const child = spawn('/bin/sh', ['-c', command], { cwd: repository, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, line: async () => (await lines.next()).value as string | undefined };
}

test('the commands that need a watcher do what is written beside them', {
  timeout: 90_000,
}, async () => {
  const [watcher = '', ...rest] = commands;
  expect(watcher).toBe('fleet --root DIR watcher');
  expect(rest.length).toBeGreaterThan(4);

  const { child, line } = start(`${watcher} --port 0`);
  expect(await line()).toMatch(/^serving http:/);
  const ready = `fleet --root DIR watcher --check`.replace('DIR', root).split(' ').slice(1);
  const launcher = join(repository, 'packages/fleet-cli/bin/fleet.js');
  expect(spawnSync(process.execPath, [launcher, ...ready]).status).toBe(0);

  const homes = ['lane-a', 'lane-b', 'nightly'].map((name) => join(root, 'profiles', name));
  const gate = openGate({ home: homes, software: 'by-the-test/1', keepAlive: false });
  onTestFinished(() => gate.close());
  await expect.poll(() => gate.link().link).toBe('connected');

  for (const command of rest) {
    const running = start(command);
    if (command.includes(' events')) {
      // It follows until it is told to leave, and has something to tell by then.
      gate.announce(`door-${process.pid}`);
      const other = start('fleet --root DIR pause -p lane-b --reason "by the test"');
      await once(other.child, 'exit');
      expect(await running.line()).toMatch(/\S/);
      running.child.kill('SIGINT');
      await once(running.child, 'exit');
      const lifted = start('fleet --root DIR resume -p lane-b');
      await once(lifted.child, 'exit');
      continue;
    }
    const text: string[] = [];
    running.child.stdout.on('data', (chunk: Buffer) => text.push(String(chunk)));
    running.child.stderr.on('data', (chunk: Buffer) => text.push(String(chunk)));
    const [status] = await once(running.child, 'close');
    expect({ command, status, said: text.join('') }).toMatchObject({ command, status: 0 });
    if (command.includes(' pause --wait')) {
      expect(text.join('')).toContain('by-the-test/1');
      expect(gate.admit({ door: 'turn', profile: 'lane-a' }).admitted).toBe(false);
    }
  }
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
