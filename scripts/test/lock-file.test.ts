/**
 * What the lock file must not record.
 * Which packages it pins is npm's affair.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the lock file names no registry, so that any mirror can serve it', () => {
  const lock = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
  expect(lock).not.toMatch(/"resolved": "http/);
});
