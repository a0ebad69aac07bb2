/** The conformance kit on the built sample: each of its cases is a test. */
import { testDoors } from '@fleet-estop/gateway/kit';
import { afterAll, expect, test } from 'vitest';
import { sampleAdapter } from './adapter.ts';

const { absent } = testDoors(sampleAdapter(), {
  test: (title, run) => test(title, run, 30_000),
  after: afterAll,
});

test('the sample has every part that the kit knows', () => {
  expect(absent).toEqual([]);
});
