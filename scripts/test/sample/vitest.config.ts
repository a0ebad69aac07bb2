/**
 * Runs the sample tests with the tally of the real ones.
 * Everything else stays at vitest's defaults.
 */
import { defineConfig } from 'vitest/config';
import { TallyReporter } from '../../tally-reporter.mjs';

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../../node_modules/.cache/fleet-sample',
  test: {
    include: ['*.sample.ts'],
    reporters: ['default', new TallyReporter({ skipsFail: process.env['CI'] !== undefined })],
  },
});
