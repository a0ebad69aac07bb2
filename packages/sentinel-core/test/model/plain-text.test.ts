/** What people write into a sentinel by hand is its reason, as far as it is text. */
import { expect, test } from 'vitest';
import { reasonOfText, utf16Text } from '../../src/model/plain-text.ts';

test.each([
  ['one line', 'deploy till noon\n', 'deploy till noon'],
  ['the first line that says something', '\n \t\ndeploy\nask ada', 'deploy'],
  ['a line of another system', '\ufeffdeploy\r\nmore', 'deploy'],
  ['control and invisible characters', '\u001b[31mde\u202eploy\tnow\u0000\u009b', '[31mdeploy now'],
  ['half of a pair', 'a\ud800b', 'ab'],
  ['a text of JSON', '"deploy"', '"deploy"'],
])('%s: %j', (_what, text, reason) => {
  expect(reasonOfText(text)).toBe(reason);
});

test.each(['', ' \n', '\u0000', '{"reason": "depl', '\ufeff {', '[1]'])(
  '%j says nothing',
  (text) => {
    expect(reasonOfText(text)).toBe(null);
  },
);

test.each(['utf-16le', 'utf-16be'])('%s is known by its mark', (encoding) => {
  const little = Buffer.from('\ufeffdeploy', 'utf16le');
  const bytes = encoding === 'utf-16le' ? little : little.swap16();
  expect(utf16Text(bytes)).toBe('deploy');
  expect(utf16Text(bytes.subarray(2))).toBe(null);
});
