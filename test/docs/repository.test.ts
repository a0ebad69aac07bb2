/**
 * The repository's own long-running commands start and judge: each is run in its smallest form. What
 * they find in their long forms is in the pages beside them.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));

function npmRun(command: string) {
  const args = ['run', '--silent', ...command.split(' ')];
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: repository,
    encoding: 'utf8',
    timeout: 55_000,
  });
  return { status, stdout, stderr };
}

test('npm run explore explores one scenario to its end', () => {
  const ran = npmRun('explore -- --one two liftH armK --jobs 1');
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  expect(ran.stdout).toMatch(/two liftH armK: 1 of 1 runs, [\d,]{3,} states, .* 0 violations/);
});

test('npm run stress runs its processes', () => {
  const ran = npmRun('stress -- --minutes 0.2 --phase keep');
  expect(ran.stdout).toMatch(/^[1-9]\d* operations, .* 0 violations$/m);
  expect(ran.status).toBe(0);
});

test('npm run bench names its benches', () => {
  expect(npmRun('bench -- nothing')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^not known: nothing; there are checks, admissions/),
  });
});
