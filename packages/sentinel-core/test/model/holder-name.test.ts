import { expect, test } from 'vitest';
import { isHolderName } from '../../src/model/holder-name.ts';

test.each([
  ['ci', true],
  ['two words', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  // 64 characters in 128 UTF-16 code units, and one more.
  ['\u{1f680}'.repeat(64), true],
  ['\u{1f680}'.repeat(65), false],
  ['', false],
  [' ', false],
  [' ci', false],
  ['ci\u00a0', false],
  ['a\u202eb', false],
  ['a\nb', false],
  ['\ud800', false],
])('%j is a holder: %s', (name, is) => {
  expect(isHolderName(name)).toBe(is);
});
