/**
 * How the tests of all packages run.
 * What CI makes of the result is `scripts/tally-reporter.mjs`.
 */
import { defineConfig } from 'vitest/config';
import { TallyReporter } from './scripts/tally-reporter.mjs';

export default defineConfig({
  test: {
    include: ['{packages/*,examples/*,scripts}/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Many tests start processes of their own, so more workers only make each other late.
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
