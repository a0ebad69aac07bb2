/**
 * Decoding bytes: UTF-8 with or without a byte order mark, any line ends, no forbidden characters. The
 * content is tested in `parse/`.
 */
import { describe, expect, it } from 'vitest';
import { outline, problemOf, settingsFolder, settingsOf } from '../settings-folder.ts';

const { readProfile } = settingsFolder();
const TEXT = 'version: 1\ndescription: Grüße\n';
const SETTINGS = { version: 1, description: 'Grüße' };

describe('a file is read alike', () => {
  it.each([
    ['with line feeds', TEXT],
    ['with a mark before it', `\ufeff${TEXT}`],
    ['with carriage returns before its line feeds', TEXT.replaceAll('\n', '\r\n')],
    ['with both', `\ufeff${TEXT.replaceAll('\n', '\r\n')}`],
    ['without an end to its last line', TEXT.trimEnd()],
  ])('%s', async (_title, text) => {
    expect(settingsOf(await readProfile(text))).toEqual(SETTINGS);
  });
});

describe('a mark counts as no column', () => {
  it('in what is said about the first line', async () => {
    expect(outline(await readProfile('\ufeffversion: 2\n'))).toEqual([
      'unknown-version 1:10 version',
    ]);
    const bytes = Buffer.concat([Buffer.from('\ufeffversion: '), Buffer.of(0xff)]);
    expect(outline(await readProfile(bytes))).toEqual(['encoding 1:10']);
  });
});

describe('another encoding is refused by its name', () => {
  const utf16le = Buffer.from(TEXT, 'utf16le');
  const utf16be = Buffer.from(utf16le).swap16();
  const utf32le = Buffer.from(
    Uint32Array.from(TEXT, (character) => character.charCodeAt(0)).buffer,
  );
  const utf32be = Buffer.from(utf32le).swap32();
  it.each([
    ['UTF-16 (little-endian)', utf16le, [0xff, 0xfe]],
    ['UTF-16 (big-endian)', utf16be, [0xfe, 0xff]],
    ['UTF-32 (little-endian)', utf32le, [0xff, 0xfe, 0, 0]],
    ['UTF-32 (big-endian)', utf32be, [0, 0, 0xfe, 0xff]],
  ])('%s, with its mark and without', async (name, bytes, mark) => {
    const expected = { code: 'encoding', line: 1, column: 1, expected: 'UTF-8' };
    for (const content of [bytes, Buffer.concat([Buffer.from(mark), bytes])]) {
      const problem = problemOf(await readProfile(content));
      expect(problem).toMatchObject({ ...expected, message: `the file is in ${name}` });
    }
  });
});

describe('bytes that are not UTF-8 are refused where they stand', () => {
  const LATIN_1 = Buffer.from(TEXT, 'latin1');
  it.each<[title: string, bytes: Uint8Array, place: [number, number], byte: string]>([
    ['a letter of Latin-1', LATIN_1, [2, 16], '0xfc'],
    [
      'a letter that the end of the file cuts',
      Buffer.from('version: 1 #ü').subarray(0, -1),
      [1, 13],
      '0xc3',
    ],
    ['an overlong slash', Buffer.of(0x23, 0x0a, 0x23, 0xc0, 0xaf), [2, 2], '0xc0'],
    ['half a surrogate pair', Buffer.of(0x23, 0xed, 0xa0, 0x80), [1, 2], '0xed'],
    ['a first byte', Buffer.of(0xe9, 0x0a), [1, 1], '0xe9'],
  ])('%s', async (_title, bytes, [line, column], byte) => {
    expect(problemOf(await readProfile(bytes))).toMatchObject({
      code: 'encoding',
      line,
      column,
      message: `the byte \`${byte}\` is not valid UTF-8`,
    });
  });
});

describe('a character that is not seen, or not by everybody, is refused where it stands', () => {
  it.each([
    ['an escape', '\u001b', '\\u{1b}'],
    ['a zero', '\0', '\\u{0}'],
    ['a delete', '\u007f', '\\u{7f}'],
    ['a next-line, which ends a line for some', '\u0085', '\\u{85}'],
    ['a line separator, which does too', '\u2028', '\\u{2028}'],
    ['a mark in the middle', '\ufeff', '\\u{feff}'],
  ])('%s', async (_title, character, named) => {
    const problem = problemOf(await readProfile(`version: 1\n# ab${character}c\n`));
    expect(problem).toMatchObject({ code: 'character', line: 2, column: 5 });
    expect(problem.message).toContain(`\`${named}\``);
  });

  it('and so are carriage returns alone, which end a line for some', async () => {
    const problem = problemOf(await readProfile(TEXT.replaceAll('\n', '\r')));
    expect(problem).toMatchObject({ code: 'character', line: 1, column: 11 });
  });

  it('and a second mark is one too many', async () => {
    expect(outline(await readProfile(`\ufeff\ufeff${TEXT}`))).toEqual(['character 1:1']);
  });
});
