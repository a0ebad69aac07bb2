/**
 * The pages for gateways that embed nothing are run: each program against a real fleet with a real
 * watcher, each command as it is written.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { arm, lift, nodeDisk } from '@fleet-estop/sentinel-core';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const page = (name: string) => readFileSync(join(repository, 'docs/gateways', name), 'utf8');
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  );
const programs = page('other-languages.md');

let root = '';
let home = '';
beforeEach(() => {
  const made = mkdtempSync(join(tmpdir(), 'fleet-languages-'));
  cpSync(join(repository, 'profiles.example'), made, { recursive: true });
  root = made;
  home = join(root, 'profiles/lane-a');
  return () => rmSync(made, { recursive: true, force: true });
});

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
}

/** Lines of a process, each to be taken once; killed when the test is over. */
function linesOf(command: string, ...words: readonly string[]) {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended(child);
  });
  return { child, next: async () => (await lines.next()).value as string | undefined };
}

async function startWatcher() {
  const bin = join(repository, 'packages/watcher/bin/fleet-watcher.js');
  const words = ['--root', root, '--port', '0', '--log-level', 'error'];
  const { child, next } = linesOf(process.execPath, bin, ...words);
  const address = /serving (http:\S+)\//.exec((await next()) ?? '')?.[1];
  if (address === undefined) throw new Error('the watcher did not say where it serves');
  return { address, child };
}

function missing(command: string): string | undefined {
  const found = spawnSync(command, [command === 'go' ? 'version' : '--version']);
  return found.error === undefined ? undefined : `there is no ${command} here`;
}

describe.each([
  ['python', 'python3', 'gateway.py'],
  ['go', 'go', 'gateway.go'],
])('the gateway in %s', (language, command, file) => {
  const why = missing(command);
  const title = 'says what holds it, by the watcher or without one, and starts nothing unasked';
  test.skipIf(why !== undefined)(
    why === undefined ? title : `${title} (${why})`,
    {
      timeout: 120_000,
    },
    async () => {
      const { address, child } = await startWatcher();
      const scratch = mkdtempSync(join(tmpdir(), 'fleet-program-'));
      onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
      const [source = ''] = blocks(programs, language);
      writeFileSync(join(scratch, file), source);
      const program = join(scratch, 'gateway');
      if (language === 'go') {
        // Its folders of caches are its own affair; a build has no home here.
        const env = { ...process.env, GOCACHE: join(scratch, 'cache'), GO111MODULE: 'off' };
        execFileSync('go', ['build', '-o', program, join(scratch, file)], { env });
      }
      const started =
        language === 'go'
          ? linesOf(program, home, root, address)
          : linesOf(command, join(scratch, file), home, root, address);
      expect(await started.next()).toBe('running');

      arm(nodeDisk(), root, {});
      expect(await started.next()).toBe('paused');
      lift(nodeDisk(), root, { everyone: true });
      expect(await started.next()).toBe('running');

      child.kill('SIGKILL');
      await ended(child);
      writeFileSync(join(home, 'ESTOP'), '');
      expect(await started.next()).toBe('paused');
      rmSync(join(home, 'ESTOP'));
      expect(await started.next()).toBe('running');
      symlinkSync('nowhere', join(home, 'ESTOP'));
      expect(await started.next()).toBe('paused');
      rmSync(join(home, 'ESTOP'));
      expect(await started.next()).toBe('running');
      mkdirSync(join(root, '.ESTOP.txn'));
      expect(await started.next()).toBe('paused');
      rmSync(join(root, '.ESTOP.txn'), { recursive: true });
      expect(await started.next()).toBe('running');
      renameSync(home, `${home}-away`);
      expect(await started.next()).toBe('paused');
    },
  );
});

describe('the shell', () => {
  const [gated = '', functions = ''] = blocks(programs, 'sh');
  const mayStart = (as?: number) => {
    const script = `${functions}\nmay_start "$1" "$2"`;
    const ids = as === undefined ? {} : { uid: as, gid: as };
    return spawnSync('/bin/sh', ['-c', script, 'sh', home, root], { ...ids, encoding: 'utf8' });
  };

  test('may_start is true only where no sentinel stands', () => {
    expect(mayStart()).toMatchObject({ status: 0, stderr: '' });
    for (const [what, put] of [
      ['a sentinel in the root', () => writeFileSync(join(root, 'ESTOP'), '')],
      ['a sentinel in the home', () => writeFileSync(join(home, 'ESTOP'), '')],
      ['a folder in its place', () => mkdirSync(join(home, 'ESTOP'))],
      ['a link to nothing', () => symlinkSync('nowhere', join(root, 'ESTOP'))],
      ['somebody at work', () => mkdirSync(join(home, '.ESTOP.txn'))],
    ] as const) {
      put();
      expect({ what, status: mayStart().status }).toEqual({ what, status: 1 });
      for (const folder of [root, home]) {
        for (const name of ['ESTOP', '.ESTOP.txn']) {
          rmSync(join(folder, name), { recursive: true, force: true });
        }
      }
      expect({ what, status: mayStart().status }).toEqual({ what, status: 0 });
    }
    mkdirSync(join(root, 'cluster'));
    expect(mayStart().status).toBe(0);
    writeFileSync(join(root, 'cluster/ESTOP'), '');
    expect(mayStart().status).toBe(1);
  });

  test('a home that is no folder, or that may not be entered, is held', () => {
    // The folder of the fleet itself must be passable for somebody else, and is made private.
    chmodSync(root, 0o755);
    expect(mayStart(65_534).status).toBe(0);
    chmodSync(home, 0o700);
    expect(mayStart(65_534).status).toBe(1);
    rmSync(home, { recursive: true });
    expect(mayStart().status).toBe(1);
  });

  test('fleet gate runs the job while nothing holds, and answers 75 while something does', () => {
    const bin = mkdtempSync(join(tmpdir(), 'fleet-bin-'));
    onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
    const launcher = join(repository, 'packages/fleet-cli/bin/fleet.js');
    symlinkSync(launcher, join(bin, 'fleet'));
    writeFileSync(join(bin, 'job.sh'), '#!/bin/sh\necho done\n', { mode: 0o755 });
    const env = { ...process.env, FLEET_ROOT: root, PATH: `${bin}:${process.env['PATH']}` };
    const run = () => spawnSync('/bin/sh', ['-c', gated], { cwd: bin, env, encoding: 'utf8' });
    expect(run()).toMatchObject({ status: 0, stdout: 'done\n' });
    arm(nodeDisk(), root, {});
    expect(run()).toMatchObject({ status: 75, stdout: '' });
  });
});

test('every command of the page on hermes-agent does what is written beside it', {
  timeout: 60_000,
}, () => {
  const commands = blocks(page('hermes-agent.md'), 'sh')
    .flatMap((block) => block.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '');
  expect(commands.length).toBeGreaterThan(8);
  for (const line of commands) {
    const words = line.replace('DIR', root);
    expect(words).toMatch(/^npx fleet --root /);
    const command = words.replace(
      /^npx fleet/,
      `node ${join(repository, 'packages/fleet-cli/bin/fleet.js')}`,
    );
    const { status, stderr } = spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' });
    expect({ line, status, stderr }).toEqual({ line, status: 0, stderr: expect.any(String) });
  }
});
