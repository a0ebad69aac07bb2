/**
 * A test file for the tests of the tally, run by them alone.
 * One passes and one is skipped; nothing fails.
 */
import { test } from 'vitest';

test('passes', () => {});

test('needs what is not there', ({ skip }) => skip('no such disk here'));
