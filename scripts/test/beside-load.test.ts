/**
 * What the script that runs the tests beside a load says of them.
 * Each test runs real tests in processes of their own; the sample files say what they do.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000 });

const here = fileURLToPath(new URL('.', import.meta.url));
const script = fileURLToPath(new URL('../beside-load.mjs', import.meta.url));
const argumentsFor = (times: string, sample: string) => [
  script,
  '--times',
  times,
  '--config',
  `${here}sample/vitest.config.ts`,
  sample,
];

function run(times: string, sample: string) {
  const options = { encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    argumentsFor(times, sample),
    options,
  );
  return { status, stderr, lines: stdout.trimEnd().split('\n') };
}

/** Of these processes, those that compute. A process that has ended keeps its number until it is waited for. */
const computing = (...select: string[]) =>
  spawnSync('ps', ['-o', 'pid=,args=', ...select], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line.includes('for (;;);'))
    .map((line) => line.trim().split(' ')[0]!);

test('says of each run how it went, and of each failed test in which runs', () => {
  const { status, lines } = run('2', 'red');
  expect(lines[0]).toMatch(/^run 1: 1 passed, [12] failed, \d+ s$/);
  expect(lines[1]).toMatch(/^run 2: 1 passed, [12] failed, \d+ s$/);
  expect(lines).toContain('  failed in 2 of 2: 1, 2');
  expect(status).toBe(1);
});

test('ends well where all of them passed', () => {
  const { status, lines } = run('1', 'green');
  expect(lines).toEqual([expect.stringMatching(/^run 1: 1 passed, 0 failed, \d+ s$/)]);
  expect(status).toBe(0);
});

test('refuses what is no number of runs', () => {
  expect(run('often', 'green')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('`often`'),
  });
});

test('leaves no load behind when it is ended from outside', async () => {
  const child = spawn(process.execPath, argumentsFor('9', 'green'), {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const load = computing('--ppid', String(child.pid));
  expect(load.length).toBeGreaterThan(0);
  child.kill('SIGTERM');
  await ended;
  await vi.waitFor(() => expect(computing('-p', load.join())).toEqual([]));
});
