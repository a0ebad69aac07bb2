/**
 * The commands of the watcher's guide and of the sample gateway's page are run as they are written.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));

const linesOf = (page: string): string[] =>
  blocksOf(page)
    .flatMap((block) => block.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '');

const blocksOf = (page: string): string[] =>
  [...readFileSync(join(repository, page), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(
    ([, block = '']) => block,
  );

function fleet(): string {
  const root = mkdtempSync(join(tmpdir(), 'fleet-commands-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cpSync(join(repository, 'profiles.example'), root, { recursive: true });
  return root;
}

/** A command that stays, in its own process. */
function started(command: string, cwd = repository) {
  const child = spawn('/bin/sh', ['-c', `exec ${command}`], { cwd, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, line: async () => (await lines.next()).value as string | undefined };
}

test('the watcher runs, prints its state and says that it is ready', {
  timeout: 60_000,
}, async () => {
  const root = fleet();
  const bin = join(repository, 'packages/watcher/bin/fleet-watcher.js');
  const commands = linesOf('docs/watcher/README.md')
    .filter((line) => line.startsWith('npx fleet-watcher'))
    .map((line) => line.replace('npx fleet-watcher', `${process.execPath} ${bin}`))
    .map((line) => line.replace('DIR', root));
  const [watch = '', print = '', check = ''] = commands;
  expect(commands).toHaveLength(3);

  const { child } = started(`${watch} --port 0`);
  child.stderr.resume();
  expect(spawnSync('/bin/sh', ['-c', check]).status).toBe(0);
  const printed = spawnSync('/bin/sh', ['-c', print], { encoding: 'utf8' });
  expect(printed.status).toBe(0);
  expect(JSON.parse(printed.stdout)).toMatchObject({ schema: 'fleet/state/v1', root });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('a secret is made, and a signature is checked by hand as the library does', async () => {
  const [make = '', byHand = ''] = blocksOf('docs/watcher/metrics-and-webhooks.md');
  const root = fleet();
  mkdirSync(join(root, '.fleet'));
  const run = (script: string, env: Readonly<Record<string, string>> = {}) => {
    const options = { cwd: root, encoding: 'utf8', env: { ...process.env, ...env } } as const;
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', script], options);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };
  run(make);
  const secret = readFileSync(join(root, '.fleet/hook.secret'), 'utf8').trim();
  const body = '{"type":"hold.armed"}';
  writeFileSync(join(root, 'hook.secret'), secret);
  writeFileSync(join(root, 'body'), body);

  const at = new Date(Math.floor(Date.now() / 1_000) * 1_000);
  const signed = run(byHand, { ID: 'e-1', TIMESTAMP: String(at.getTime() / 1_000) }).trim();
  expect(`v1,${signed}`).toBe(new Webhook(secret).sign('e-1', at, body));
});

test('the sample gateway starts, answers, and is paused from its chat', {
  timeout: 60_000,
}, async () => {
  const root = fleet();
  const cwd = join(repository, 'examples/sample-gateway');
  const [start = '', ask = '', pause = ''] = linesOf('examples/sample-gateway/README.md').map(
    (line) => line.replace('ROOT', root),
  );
  const { child, line } = started(start, cwd);
  child.stderr.resume();
  for (let said = await line(); !said?.includes('http://127.0.0.1:'); said = await line()) {
    expect(said).toBeDefined();
  }
  child.stdout.resume();
  const say = (command: string) => spawnSync('/bin/sh', ['-c', command], { cwd, encoding: 'utf8' });
  expect(say(ask)).toMatchObject({ status: 0, stdout: expect.stringContaining('5 of 5') });
  expect(say(pause).stdout).toContain('Paused lane-a');
  expect(say(ask).stdout).toContain('New work on lane-a is paused');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
