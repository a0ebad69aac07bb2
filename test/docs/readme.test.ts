/**
 * The README is run: every command in it, in the order in which a reader meets them, and its code.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { arm, lift, nodeDisk } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import {
  blocksOf,
  commandsOf,
  exampleFleet,
  expectAnswers,
  readPage,
  repository,
  runFleet,
} from './page.ts';

const readme = readPage('README.md');
const commands = commandsOf(readme);
const root = exampleFleet();

/** These are run by whoever runs this test, by the test of `npm start` below, or by `packages/tarballs.test.ts`. */
const ELSEWHERE = [
  'npm ci && npm start',
  'npm ci && npm run build && npm pack --workspace packages --pack-destination DIR',
  'npm install --prefix /opt/fleet DIR/*.tgz',
];

test('the README has commands, and every one of them is known to this test', () => {
  expect(commands.length).toBeGreaterThan(8);
  const strange = commands.filter(
    (line) => !line.startsWith('npx fleet --root DIR ') && !ELSEWHERE.includes(line),
  );
  expect(strange).toEqual([]);
});

test('every command of the README does what is written beside it', { timeout: 120_000 }, () => {
  expectAnswers(
    commands.filter((line) => !ELSEWHERE.includes(line)),
    root,
  );
});

test('the README has 120 lines at most, and its first command among the first 25', () => {
  const lines = readme.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(120);
  expect(lines.slice(0, 25)).toContain('npm ci && npm start');
});

test('the Express app of the README is the one that the gateway package proves', () => {
  const block = (page: string): string =>
    /^```js\nimport \{ expressDoor.*?^```$/ms.exec(page)?.[0] ?? '';
  const proven = readPage('packages/gateway/README.md');
  expect(block(readme)).not.toBe('');
  expect(block(readme)).toBe(block(proven));
});

/** What the README's library example says of a home. */
function exampleSays(home: string | undefined): string {
  const [source = ''] = blocksOf(readme, 'ts');
  // Inside the repository, so that the package is found by its name.
  const file = join(repository, 'node_modules/.cache/fleet', `readme-${process.pid}.mjs`);
  writeFileSync(file, source);
  const { HERMES_HOME: _, ...rest } = process.env;
  const env = home === undefined ? rest : { ...rest, HERMES_HOME: home };
  try {
    const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', env });
    expect(stderr).toBe('');
    return stdout.trim();
  } finally {
    rmSync(file);
  }
}

test('the library example admits while nothing holds, and not while something does', () => {
  const home = join(root, 'profiles/lane-b');
  expect(exampleSays(home)).toBe('may start');
  arm(nodeDisk(), root, { reason: 'by the test' });
  expect(exampleSays(home)).toMatch(/^refused: lane-b is paused/);
  lift(nodeDisk(), root, { everyone: true });
  expect(exampleSays(home)).toBe('may start');
});

test('the library example refuses where it cannot tell what holds', () => {
  const linked = join(root, 'profiles/linked');
  mkdirSync(join(root, 'elsewhere'));
  symlinkSync(join(root, 'elsewhere'), linked);
  expect(exampleSays(linked)).toBe('may start');
  arm(nodeDisk(), root, { reason: 'by the test' });
  expect(exampleSays(linked)).toMatch(/^refused: linked is paused/);
  lift(nodeDisk(), root, { everyone: true });
  const unknown = [undefined, '', join(root, 'gone'), join(root, 'profiles/lane-x'), tmpdir()];
  for (const home of [...unknown, join(root, 'profiles'), join(root, 'elsewhere')]) {
    expect({ home, says: exampleSays(home) }).toEqual({
      home,
      says: expect.stringMatching(/^refused: ./),
    });
  }
  rmSync(linked);
  rmSync(join(root, 'elsewhere'), { recursive: true });
});

/** What `npm start` runs once everything is built. */
const start = (...words: string[]) =>
  spawn(process.execPath, ['scripts/start.mjs', ...words], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

const folderIn = (stdout: string): string =>
  /made from profiles\.example\/: (\S+)/.exec(stdout)?.[1] ?? '';

/** As they are named when they start. */
const processesIn = (stdout: string): number[] =>
  [...stdout.matchAll(/ pid (\d+)/g)].map(([, pid]) => Number(pid));

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`);

/** Every process that says this anywhere in its command. */
const runningWith = (word: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
    } catch {
      return false;
    }
  });

test.each([
  ['asked to leave', ['--leave']],
  ['where nobody is at a terminal', []],
])(
  'npm start, %s, pauses and resumes real gateways while somebody talks to one, and ends',
  {
    timeout: 60_000,
  },
  async (_when, words) => {
    const child = start(...words);
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const made = folderIn(stdout);
    expect(made).not.toBe('');
    // In this order: the pause is acknowledged with a turn in hand, a message is refused, the turn
    // finishes, and after the resume the message is served.
    const told = [
      'PAUSED the whole fleet',
      'ACKNOWLEDGED by all 3 gateways',
      '1 in hand',
      'New work on lane-a is paused: trying the lever',
      'as you said',
      'RESUMED the root',
      'you said: hello',
    ];
    const places = told.map((words) => stdout.indexOf(words));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((one, two) => one - two));
    expect(runningWith(made)).toEqual([]);
    rmSync(made, { recursive: true });
  },
);

test('npm start stays up for a pause from elsewhere, and an interrupt ends all of it', {
  timeout: 60_000,
}, async () => {
  const child = start('--stay');
  let stdout = '';
  const stays = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (stdout.includes('until Ctrl-C') && stdout.includes('/pause for lunch')) resolve();
    });
    child.once('exit', () => reject(new Error(`it ended: ${stdout}`)));
  });
  try {
    await stays;
    const made = folderIn(stdout);
    const dashboard = /dashboard +(\S+)/.exec(stdout)?.[1] ?? '';
    expect((await fetch(dashboard)).headers.get('content-type')).toContain('text/html');
    const paused = runFleet(`npx fleet --root ${made} pause --wait`, made);
    expect(paused.status).toBe(0);
    for (const lane of ['lane-a', 'lane-b', 'nightly']) {
      expect(paused.stdout).toMatch(new RegExp(`acknowledged .*: ${lane}; after \\d+ ms`));
    }
    const processes = processesIn(stdout);
    expect(processes).toHaveLength(4);
    expect(processes.every(isRunning)).toBe(true);
    child.kill('SIGINT');
    const [status] = await once(child, 'exit');
    expect(status).toBe(0);
    expect(processes.filter(isRunning)).toEqual([]);
    expect(runningWith(made)).toEqual([]);
    rmSync(made, { recursive: true });
  } finally {
    child.kill('SIGTERM');
  }
});
