/**
 * Selectors, and which labels they match. Reading labels from a file is
 * `parse/labels-as-written.test.ts`.
 */
import { describe, expect, it } from 'vitest';
import { type Labels, matches, parseSelector, type Selector } from '../src/index.ts';

function selector(text: string): Selector {
  const result = parseSelector(text);
  if (!result.parsed) throw new Error(result.message);
  return result.selector;
}

describe('a selector is read', () => {
  it.each<[text: string, selector: Selector]>([
    ['tier=batch', { key: 'tier', test: 'equals', value: 'batch' }],
    ['tier!=batch', { key: 'tier', test: 'differs', value: 'batch' }],
    ['tier', { key: 'tier', test: 'present' }],
    ['!tier', { key: 'tier', test: 'absent' }],
    ['example.org/tier=1.10', { key: 'example.org/tier', test: 'equals', value: '1.10' }],
    ['1=no', { key: '1', test: 'equals', value: 'no' }],
    ['a=-', { key: 'a', test: 'equals', value: '-' }],
  ])('%s', (text, expected) => {
    expect(selector(text)).toEqual(expected);
  });
});

describe('a selector is refused', () => {
  it.each([
    ['', 'form', null],
    ['a=b,c=d', 'form', 'repeat the option'],
    ['=b', 'key', null],
    ['!', 'key', null],
    ['!=b', 'key', null],
    ['!a=b', 'key', null],
    ['!!a', 'key', null],
    ['-p', 'key', null],
    ['Tier=b', 'key', 'did you mean `tier`?'],
    [' tier', 'key', 'did you mean `tier`?'],
    ['tier =b', 'key', 'did you mean `tier`?'],
    ['a b', 'key', null],
    [`${'a'.repeat(64)}`, 'key', null],
    ['tier=', 'value', 'to ask whether the label is there at all, leave out `=`'],
    ['tier!=', 'value', 'to ask whether the label is there at all, leave out `!=`'],
    ['tier= b', 'value', null],
    ['tier==b', 'value', 'did you mean `tier=b`?'],
    ['tier=b=c', 'value', null],
    ['tier=b*', 'value', null],
    [`tier=${'b'.repeat(64)}`, 'value', null],
    ['tier=b\n', 'value', null],
  ])('%j', (text, part, hint) => {
    expect(parseSelector(text)).toMatchObject({ parsed: false, part, hint });
  });

  it('and the refusal names what was given, and what may be', () => {
    expect(parseSelector('tier=\u001b[2J')).toMatchObject({
      message: '`\\u{1b}[2J` cannot be the value of a label',
      expected: expect.stringContaining('up to 63'),
    });
  });
});

describe('labels match', () => {
  const labels: Labels = { tier: 'batch', version: '1.10', empty: '' };
  it.each<[text: string, matched: boolean]>([
    ['tier=batch', true],
    ['tier=Batch', false],
    ['version=1.1', false],
    ['version=1.10', true],
    ['team=batch', false],
    ['tier!=batch', false],
    ['tier!=other', true],
    ['team!=batch', true],
    ['tier', true],
    ['empty', true],
    ['team', false],
    ['!tier', false],
    ['!team', true],
    ['constructor', false],
    ['!constructor', true],
  ])('%s: %s', (text, matched) => {
    expect(matches([selector(text)], labels)).toBe(matched);
  });

  it('only where every selector does', () => {
    expect(matches([selector('tier=batch'), selector('version')], labels)).toBe(true);
    expect(matches([selector('tier=batch'), selector('team')], labels)).toBe(false);
  });

  it('where nothing is asked', () => {
    expect(matches([], {})).toBe(true);
  });
});
