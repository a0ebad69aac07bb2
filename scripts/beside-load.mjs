/**
 * Runs the tests several times beside a process for each core that does nothing but compute, and says
 * which tests waited for a moment instead of a state: `node scripts/beside-load.mjs [--times N] [vitest arguments]`.
 * Exits with 1 where any test failed in any run. The packages must be built.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [option, number, ...others] = process.argv.slice(2);
const times = option === '--times' ? Number(number) : 5;
const given = option === '--times' ? others : process.argv.slice(2);
if (!Number.isInteger(times) || times < 1) {
  process.stderr.write(`beside-load: \`${number}\` is no number of runs\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'fleet-beside-load-'));
const started = Array.from({ length: availableParallelism() }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);
// Also where we are ended from outside: nobody else would end them.
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

/** By test, in which runs it failed. @type {Map<string, number[]>} */
const failures = new Map();
let isClean = true;
for (let run = 1; run <= times; run++) {
  const report = join(folder, `${run}.json`);
  const began = performance.now();
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const options = ['run', ...given, '--reporter=json', `--outputFile=${report}`];
  const tests = spawn(process.execPath, [vitest, ...options], { cwd: root, stdio: 'ignore' });
  started.push(tests);
  const [status] = await once(tests, 'exit');
  const seconds = Math.round((performance.now() - began) / 1_000);
  if (!existsSync(report)) {
    process.stderr.write(
      `run ${run}: vitest ended with ${status} and left no report, after ${seconds} s\n`,
    );
    process.exit(1);
  }
  const { numPassedTests: passed, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.flatMap(failedIn);
  for (const name of failed) failures.set(name, [...(failures.get(name) ?? []), run]);
  if (status !== 0 || failed.length > 0) isClean = false;
  process.stdout.write(`run ${run}: ${passed} passed, ${failed.length} failed, ${seconds} s\n`);
}
for (const [name, runs] of failures) {
  process.stdout.write(`${name}\n  failed in ${runs.length} of ${times}: ${runs.join(', ')}\n`);
}
process.exit(isClean ? 0 : 1);

/**
 * A file that could not be set up has no tests that failed, and counts as one.
 * @param {{ name: string, status: string, assertionResults: { status: string, fullName: string }[] }} file
 */
function failedIn({ name, status, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0 && status === 'failed') return [relative(root, name)];
  return failed.map(({ fullName }) => `${relative(root, name)} > ${fullName}`);
}
