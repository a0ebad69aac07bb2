/**
 * The last line and exit status of a test run, as CI sees them.
 * Each test runs real tests in a process of its own; the sample files say what they do.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

// Each run starts a vitest of its own, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const here = fileURLToPath(new URL('.', import.meta.url));
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

function run(sample: string, ci: boolean): { status: number | null; lines: string[] } {
  const { CI: _, ...env } = process.env;
  const { status, stdout } = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', `${here}sample/vitest.config.ts`, sample],
    { encoding: 'utf8', env: ci ? { ...env, CI: 'true' } : env },
  );
  return { status, lines: stdout.trimEnd().split('\n') };
}

test('a skipped test is named and counted', () => {
  const { status, lines } = run('green', false);
  expect(lines.at(-1)).toBe('1 passed, 0 failed, 1 skipped');
  expect(lines.at(-2)).toContain('needs what is not there (no such disk here)');
  expect(status).toBe(0);
});

test('in CI a skipped test is a failure, and is named', () => {
  const { status, lines } = run('green', true);
  expect(lines.at(-1)).toBe('1 passed, 1 failed');
  expect(lines.at(-2)).toContain('needs what is not there (no such disk here)');
  expect(status).toBe(1);
});

test('a failed test and a group that could not be set up are counted as failed', () => {
  const { status, lines } = run('red', false);
  expect(lines.at(-1)).toMatch(/^1 passed, 2 failed/);
  expect(status).toBe(1);
});
