/**
 * The README is run: every command in it, in the order in which a reader meets them, and its code.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { arm, lift, nodeDisk } from '@fleet-estop/sentinel-core';
import { afterAll, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const whole = readFileSync(join(repository, 'README.md'), 'utf8');
/** What needs a watcher is run with one, in `readme-watcher.test.ts`. */
const readme = whole.replace(/^## Know who has heard\n.*?(?=^## )/ms, '');
const root = mkdtempSync(join(tmpdir(), 'fleet-readme-'));
cpSync(join(repository, 'profiles.example'), root, { recursive: true });
afterAll(() => rmSync(root, { recursive: true, force: true }));

const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text = '']) => text,
  );
const commands = blocks('sh')
  .flatMap((block) => block.split('\n'))
  .map((line) => line.replace(/\s+#.*$/, '').trim())
  .filter((line) => line !== '');

/** These are run by whoever runs this test, by the test of `npm start` below, or by `packages/tarballs.test.ts`. */
const ELSEWHERE = [
  'npm ci && npm start',
  'npm ci && npm test',
  'npm ci && npm run build && npm pack --workspace packages --pack-destination DIR',
  'npm install --prefix /opt/fleet DIR/*.tgz',
];

/** What a command answers that is not "done", at its place in the README. */
const ANSWERS: Readonly<Record<string, number>> = {
  // lane-a is still paused by itself, and the root is free.
  'npx fleet --root DIR resume': 0,
  // The bot's hold stands beside the one that is lifted.
  'npx fleet --root DIR resume --hold ID': 7,
  // Nothing is held any more at that place.
  'npx fleet --root DIR assert paused -p lane-a -p lane-b': 1,
};

const fleet = (line: string) => {
  const words = line.replaceAll('DIR', root);
  const command = words.replace(/^npx fleet/, `node ${repository}packages/fleet-cli/bin/fleet.js`);
  const env = { ...process.env, FLEET_HOLDER: 'reader' };
  return spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8', cwd: tmpdir(), env });
};

/** `--hold ID` is meant for an id that the reader was shown; here it is the reader's own. */
const withHold = (line: string): string => {
  if (!line.includes('--hold ID')) return line;
  const { stdout } = fleet('npx fleet --root DIR status --json');
  const id = /"id": "([^"]+)",\s+"holder": "reader"/.exec(stdout)?.[1];
  expect(id).toBeDefined();
  return line.replace('ID', id ?? '');
};

test('the README has commands, and every one of them is known to this test', () => {
  expect(commands.length).toBeGreaterThan(10);
  const strange = commands.filter(
    (line) => !line.startsWith('npx fleet --root DIR ') && !ELSEWHERE.includes(line),
  );
  expect(strange).toEqual([]);
});

test('every command of the README does what is written beside it', { timeout: 120_000 }, () => {
  for (const line of commands) {
    if (ELSEWHERE.includes(line)) continue;
    const { status, stderr } = fleet(withHold(line));
    expect({ line, status, stderr }).toEqual({
      line,
      status: ANSWERS[line] ?? 0,
      stderr: expect.any(String),
    });
  }
});

/** What the README's library example says of a home. */
function exampleSays(home: string | undefined): string {
  const [source = ''] = blocks('ts');
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
    const paused = fleet(`npx fleet --root ${made} pause --wait`);
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
