/**
 * A test file for the tests of the tally, run by them alone.
 * One test fails, and one group cannot be set up.
 */
import { beforeAll, describe, expect, test } from 'vitest';

test('passes', () => {});

test('fails', () => expect(1).toBe(2));

describe('a group', () => {
  beforeAll(() => {
    throw new Error('cannot be set up');
  });
  test('never runs', () => {});
});
