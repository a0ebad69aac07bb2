/**
 * Labels are the text that was written, whatever YAML would make of it. Selectors are
 * `../labels.test.ts`.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEY, VALUE } from '../../src/labels.ts';
import { outline, problemOf, settingsFolder, settingsOf } from '../settings-folder.ts';

const { readProfile } = settingsFolder();
const withLabel = (label: string) => readProfile(`version: 1\nlabels:\n  ${label}\n`);

describe('a label is what was written', () => {
  it.each(
    [
      ...['no', 'yes', 'on', 'off', 'n', 'y', 'true', 'FALSE', 'null', 'Null'],
      ...['1.10', '1.0', '007', '08', '0o17', '0x1F', '1e3', '1_000', '.5', '-5', '.inf', '.NaN'],
      ...['123456789012345678901234567890', '2026-11-29', '1.2.3', 'v1', 'a-b_c.d', '--a'],
    ].filter((value) => value !== '-'),
  )('%s', async (value) => {
    expect(settingsOf(await withLabel(`tier: ${value}`)).labels).toEqual({ tier: value });
    expect(settingsOf(await withLabel(`tier: '${value}'`)).labels).toEqual({ tier: value });
    expect(settingsOf(await withLabel(`tier: "${value}"`)).labels).toEqual({ tier: value });
    expect(settingsOf(await withLabel(`tier: ${value}  # as it is`)).labels).toEqual({
      tier: value,
    });
  });

  it('and so is its name', async () => {
    const names = [
      '1',
      '1.0',
      '1.10',
      'no',
      'null',
      'true',
      'constructor',
      'a/b',
      'a.b-c_d',
      '0x1f',
    ];
    const lines = names.map((name) => `  ${name}: x`).join('\n');
    const { labels } = settingsOf(await readProfile(`version: 1\nlabels:\n${lines}\n`));
    expect(labels).toEqual(Object.fromEntries(names.map((name) => [name, 'x'])));
  });

  it('and may be empty where quotes say so', async () => {
    expect(settingsOf(await withLabel("tier: ''")).labels).toEqual({ tier: '' });
  });

  it('for every name and value there is', async () => {
    const key = fc.stringMatching(KEY);
    const value = fc
      .stringMatching(VALUE)
      .filter((text) => text !== '' && text !== '-' && text !== '---');
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(key, value, { maxKeys: 8, noNullPrototype: true }),
        async (labels) => {
          const lines = Object.entries(labels).map(([name, text]) => `  ${name}: ${text}\n`);
          const file = await readProfile(
            `version: 1\nlabels:${lines.length === 0 ? ' {}' : ''}\n${lines.join('')}`,
          );
          expect(settingsOf(file).labels).toEqual(labels);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a label that could be meant in two ways is refused with its line', () => {
  it.each([
    ['nothing', 'tier:', 'invalid-value 3:3 labels.tier'],
    ['nothing but a comment', 'tier: # none', 'invalid-value 3:3 labels.tier'],
    ['a text in a block', 'tier: |\n    a', 'ambiguous-text 3:9 labels.tier'],
    ['a folded text in a block', 'tier: >-\n    a', 'ambiguous-text 3:9 labels.tier'],
    ['a text over two lines', 'tier: a\n    b', 'invalid-value 3:9 labels.tier'],
    ['a list', 'tier: [a]', 'invalid-value 3:9 labels.tier'],
    ['a list of one dash', 'tier:\n    - a', 'invalid-value 4:5 labels.tier'],
    ['a mapping', 'tier: { a: b }', 'invalid-value 3:9 labels.tier'],
    ['a tilde', 'tier: ~', 'invalid-value 3:9 labels.tier'],
    ['words', 'tier: a b', 'invalid-value 3:9 labels.tier'],
    ['a time', 'tier: 12:30', 'invalid-value 3:9 labels.tier'],
    ['64 characters', `tier: ${'a'.repeat(64)}`, 'invalid-value 3:9 labels.tier'],
    ['a letter beyond ASCII', 'tier: größe', 'invalid-value 3:9 labels.tier'],
    ['a name in capitals', 'Tier: a', 'invalid-value 3:3 labels.Tier'],
    ['a name with a dash at its end', 'tier-: a', 'invalid-value 3:3 labels.tier-'],
    [
      'a name of 64 characters',
      `${'a'.repeat(64)}: a`,
      `invalid-value 3:3 labels.${'a'.repeat(64)}`,
    ],
  ])('%s', async (_title, label, expected) => {
    expect(outline(await withLabel(label))).toEqual([expected]);
  });
});

describe('what is wrong with a label is said', () => {
  it('of a value', async () => {
    expect(problemOf(await withLabel('tier: a b'))).toMatchObject({
      message: '`labels.tier` cannot be `a b`',
      expected: expect.stringContaining('up to 63'),
    });
  });

  it('of a name', async () => {
    expect(problemOf(await withLabel('Tier: a'))).toMatchObject({
      message: '`Tier` cannot be a name here',
      expected: expect.stringContaining('a-z'),
    });
  });

  it('of nothing', async () => {
    expect(problemOf(await withLabel('tier:'))).toMatchObject({
      message: '`labels.tier` has no value',
      hint: 'give it a value, or remove the key',
    });
  });

  it('of more than 64', async () => {
    const lines = Array.from({ length: 65 }, (_, number) => `  k${number}: x\n`).join('');
    expect(problemOf(await readProfile(`version: 1\nlabels:\n${lines}`))).toMatchObject({
      line: 3,
      column: 3,
      key: 'labels',
      message: '`labels` cannot be a mapping of 65 keys',
      expected: 'at most 64 labels',
    });
  });
});
