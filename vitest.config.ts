/**
 * How the tests of all packages run.
 * What CI makes of the result is `scripts/tally-reporter.mjs`.
 */
import { defineConfig } from 'vitest/config';
import { TallyReporter } from './scripts/tally-reporter.mjs';

/** What changes its whole process for good, such as its working folder. */
const ALONE = ['packages/watcher/test/daemon/shared-folder.test.ts'];

export default defineConfig({
  test: {
    // Files of one worker share a process and what they import of it: that saves a tenth of the time. Each
    // test puts back what it changes there.
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['{packages/*,examples/*,scripts}/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...ALONE],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
    // Three are a quarter faster on two cores, but were run once only, and one test was late in that run.
    pool: 'forks',
    maxWorkers: 2,
    // Patience before a test that hangs is given up, on a slow and busy machine too. Nothing here waits
    // for as long: a test waits for a state, and goes on when that is there.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    allowOnly: process.env['CI'] === undefined,
    reporters: ['default', new TallyReporter({ skipsFail: process.env['CI'] !== undefined })],
    coverage: { include: ['packages/*/src/**'] },
  },
});
