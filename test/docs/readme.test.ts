/**
 * The README is run: every command in it, in the order in which a reader meets them, and its code.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { arm, lift, nodeDisk } from '@fleet-estop/sentinel-core';
import { afterAll, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(repository, 'README.md'), 'utf8');
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

/** These are run by whoever runs this test, or by the test of `npm start` below. */
const ELSEWHERE = ['npm ci', 'npm start', 'npm test'];

/** What a command answers that is not "done", at its place in the README. */
const ANSWERS: Readonly<Record<string, number>> = {
  // lane-a is still paused by itself, and the root is free.
  'npx fleet --root DIR resume': 0,
  // The bot's hold stands beside the one that is lifted.
  'npx fleet --root DIR resume --hold ID': 1,
  // Nothing is held any more at that place.
  'npx fleet --root DIR assert paused -p lane-a -p lane-b': 1,
};

const fleet = (line: string) => {
  const words = line.replaceAll('DIR', root);
  const command = words.replace(/^npx fleet/, `node ${repository}packages/fleet-cli/bin/fleet.js`);
  return spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8', cwd: tmpdir() });
};

/** `--hold ID` is meant for an id that the reader was shown; here it is the operator's. */
const withHold = (line: string): string => {
  if (!line.includes('--hold ID')) return line;
  const { stdout } = fleet('npx fleet --root DIR status --json');
  const id = /"id": "([^"]+)",\s+"holder": "operator"/.exec(stdout)?.[1];
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

test('the library example admits while nothing holds, and nobody while something does', async () => {
  const [source = ''] = blocks('ts');
  // Inside the repository, so that the package is found by its name.
  const file = join(repository, 'node_modules/.cache/fleet', `readme-${process.pid}.mjs`);
  writeFileSync(file, source.replaceAll(/: (string \| null|boolean)/g, ''));
  process.env['HERMES_HOME'] = join(root, 'profiles/lane-b');
  try {
    const { mayStart } = await import(pathToFileURL(file).href);
    expect(mayStart('alice')).toBe(true);
    arm(nodeDisk(), root, { reason: 'by the test' });
    expect(mayStart('alice')).toBe(false);
    lift(nodeDisk(), root, { everyone: true });
    expect(mayStart(null)).toBe(true);
  } finally {
    rmSync(file);
  }
});

test('npm start pauses and resumes a real fleet, in a folder that it names', {
  timeout: 120_000,
}, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/start.mjs'], {
    cwd: repository,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const made = /made from profiles\.example\/: (\S+)/.exec(stdout)?.[1] ?? '';
  expect(made).not.toBe('');
  expect(stdout).toContain('PAUSED the whole fleet');
  rmSync(made, { recursive: true });
});
