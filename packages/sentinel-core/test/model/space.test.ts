/**
 * Surrounding space is exactly what Python strips.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stripSpace } from '../../src/model/space.ts';

const SPACES = [
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001,
  0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f,
  0x205f, 0x3000,
];

describe('stripSpace', () => {
  it('removes these 29 characters and no other of the basic plane', () => {
    const removed: number[] = [];
    for (let code = 0; code <= 0xffff; code++) {
      if (stripSpace(String.fromCharCode(code)) === '') removed.push(code);
    }
    expect(removed).toEqual(SPACES);
  });

  it.each([
    ['a byte order mark', '\ufeff'],
    ['a zero-width space', '\u200b'],
    ['a Mongolian vowel separator', '\u180e'],
    ['a null character', '\0'],
  ])('keeps %s', (_, character) => {
    expect(stripSpace(` ${character} `)).toBe(character);
  });

  it('works at both ends and leaves the middle alone', () => {
    expect(stripSpace('\u001c \u3000a \t b\u2029\u0085')).toBe('a \t b');
    expect(stripSpace(' \t ')).toBe('');
    expect(stripSpace('')).toBe('');
  });

  it('finds nothing more to strip the second time', () => {
    const spaced = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...SPACES.map((code) => String.fromCharCode(code))),
        fc.string(),
      ),
    });
    fc.assert(
      fc.property(spaced, (text) => {
        const once = stripSpace(text);
        expect(stripSpace(once)).toBe(once);
        expect(text).toContain(once);
      }),
    );
  });
});
