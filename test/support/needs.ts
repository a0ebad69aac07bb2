/**
 * Tests that cannot run everywhere: they are skipped out loud, with the reason.
 * That a skip fails in CI is the test runner's rule.
 */
import { beforeEach } from 'vitest';

/** Skips the tests of this file or group where something is missing. */
export function needs(missing: string | undefined): void {
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing);
  });
}
