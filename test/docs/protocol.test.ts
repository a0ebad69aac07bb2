/** The gateway of the line protocol's page, as it is printed, beside a real watcher. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, onTestFinished, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(repository, 'packages/protocol/README.md'), 'utf8');
const [program = ''] = [...page.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code]) => code);
const why = spawnSync('python3', ['--version']).error === undefined ? '' : ' (no python3 here)';

let root = '';
let scratch = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-protocol-')));
  scratch = mkdtempSync(join(tmpdir(), 'fleet-protocol-program-'));
  cpSync(join(repository, 'profiles.example'), root, { recursive: true });
  return () => {
    for (const folder of [root, scratch]) rmSync(folder, { recursive: true, force: true });
  };
});

function started(command: string, ...words: readonly string[]) {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => killed(child));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, next: async () => (await lines.next()).value as string | undefined };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const watcher = () =>
  started(
    process.execPath,
    join(repository, 'packages/watcher/bin/fleet-watcher.js'),
    '--root',
    root,
    '--no-http',
  );

function gateway(home = join(root, 'profiles/lane-a'), of = root) {
  const file = join(scratch, 'gateway.py');
  writeFileSync(file, program);
  return started('python3', file, home, of);
}

function fleet(...words: readonly string[]) {
  const bin = join(repository, 'packages/fleet-cli/bin/fleet.js');
  return spawnSync(process.execPath, [bin, '--root', root, ...words], {
    encoding: 'utf8',
  });
}

test.skipIf(why !== '')(
  `the gateway in Python links, is counted, and acknowledges a pause and its lift${why}`,
  { timeout: 60_000 },
  async () => {
    const first = watcher();
    const { next } = gateway();
    expect(await next()).toBe('running');
    await expect.poll(() => fleet('assert', 'acknowledged', '-p', 'lane-a').status).toBe(0);

    expect(fleet('pause', '-p', 'lane-a', '--wait', '--timeout', '20s').status).toBe(0);
    expect(await next()).toBe('paused');
    expect(fleet('resume', '-p', 'lane-a').status).toBe(0);
    expect(await next()).toBe('running');
    await expect.poll(() => fleet('assert', 'acknowledged', '-p', 'lane-a').status).toBe(0);

    // Losing the watcher resumes nothing, and the next one counts it again.
    await killed(first.child);
    expect(fleet('pause').status).toBe(0);
    expect(await next()).toBe('paused');
    watcher();
    await expect.poll(() => fleet('assert', 'acknowledged', '-p', 'lane-a').status).toBe(0);
  },
);

test.skipIf(why !== '')(
  `the gateway in Python acknowledges no pause that its own disk does not show${why}`,
  { timeout: 60_000 },
  async () => {
    watcher();
    // A copy of the folder, as in a container, and the real watcher's socket in it.
    const copy = join(scratch, 'copy');
    cpSync(root, copy, { recursive: true, filter: (path) => !path.includes('/.fleet') });
    await expect.poll(() => existsSync(join(root, '.fleet/watcher.sock'))).toBe(true);
    symlinkSync(join(root, '.fleet'), join(copy, '.fleet'));
    const { next } = gateway(join(copy, 'profiles/lane-a'), copy);
    expect(await next()).toBe('running');
    await expect.poll(() => fleet('assert', 'acknowledged', '-p', 'lane-a').status).toBe(0);
    expect(fleet('pause', '-p', 'lane-a', '--wait', '--timeout', '2s').status).not.toBe(0);
  },
);
