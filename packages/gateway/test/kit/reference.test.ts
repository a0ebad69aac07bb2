/** The kit as an author uses it: each of its cases is a test of the reference gateway. */
import { afterAll, test } from 'vitest';
import { testDoors } from '../../src/kit/index.ts';
import { referenceAdapter } from './reference-adapter.ts';

testDoors(referenceAdapter(), { test: (title, run) => test(title, run, 30_000), after: afterAll });
