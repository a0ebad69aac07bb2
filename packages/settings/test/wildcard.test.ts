/** Patterns in which `*` stands for any text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fits } from '../src/index.ts';

describe('a pattern fits', () => {
  it.each([
    ['*', ''],
    ['*', 'anything'],
    ['ci-*', 'ci-'],
    ['*-bot', 'x-bot'],
    ['a*b*c', 'abc'],
    ['a*b*c', 'aXbbXc'],
    ['**', ''],
    ['a.c', 'a.c'],
    ['', ''],
  ])('%j on %j', (pattern, text) => {
    expect(fits(pattern, text)).toBe(true);
  });
});

describe('a pattern does not fit', () => {
  it.each([
    ['ci-*', 'CI-a'],
    ['ci-*', 'xci-a'],
    ['aa*aa', 'aaa'],
    ['a*b*b', 'ab'],
    ['a.c', 'abc'],
    ['', 'a'],
  ])('%j on %j', (pattern, text) => {
    expect(fits(pattern, text)).toBe(false);
  });
});

it('a pattern means the regular expression that it stands for', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 6 });
  fc.assert(
    fc.property(pattern, word, (stars, text) => {
      const source = stars.replaceAll('.', '\\.').replaceAll('*', '.*');
      expect(fits(stars, text)).toBe(new RegExp(`^${source}$`).test(text));
    }),
    { numRuns: 2_000 },
  );
});

it('a pattern of many stars is judged at once', () => {
  expect(fits('a*'.repeat(2_000), `${'a'.repeat(4_000)}b`.repeat(20))).toBe(true);
  expect(fits(`${'a*'.repeat(2_000)}c`, 'a'.repeat(100_000))).toBe(false);
});
