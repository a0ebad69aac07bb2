/**
 * Rejected YAML, always with its line: what other parsers read differently, what hides a mistake, and
 * what would take too long. The keys are `fleet-file.test.ts` and `profile-file.test.ts`.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outline, problemOf, problemsOf, settingsFolder, settingsOf } from '../settings-folder.ts';

const { dir, readFleet, readProfile } = settingsFolder();

/** The file begins with `version: 1`, so the second line is the first of each text. */
const rejected: readonly (readonly [title: string, text: string, outline: string])[] = [
  ['a tab before a key', 'labels:\n\ttier: x', 'tab 3:1'],
  ['a tab after spaces before a key', 'labels:\n  \ttier: x', 'tab 3:3'],
  ['a tab before the rest of a mapping', 'labels: {\n\ttier: x }', 'tab 3:1'],
  ['a tab between a dash and a key', 'labels:\n-\ttier: x', 'tab 3:2'],

  ['an anchor', 'labels: { a: &x b }', 'not-plain 2:14'],
  ['an anchor of a mapping', 'labels: &x\n  a: b', 'not-plain 2:9'],
  ['an anchor of a key', 'labels:\n  &x a: b', 'not-plain 3:3'],
  ['an anchor of nothing', 'labels:\n  a: &x', 'not-plain 3:6'],
  ['an alias', 'labels:\n  a: *x', 'not-plain 3:6'],
  ['an alias for a key', 'labels:\n  *x : a', 'not-plain 3:3'],
  ['an alias to merge', 'labels:\n  <<: *x', 'not-plain 3:7'],
  ['a tag', 'labels:\n  a: !!str 007', 'not-plain 3:6'],
  ['a tag of nothing in particular', 'labels:\n  a: ! 007', 'not-plain 3:6'],
  ['a tag of a mapping', 'labels: !!map\n  a: b', 'not-plain 2:9'],
  ['a tag of a key', 'labels:\n  !!str 1: b', 'not-plain 3:3'],
  ['a tag by its address', 'labels:\n  a: !<tag:yaml.org,2002:str> b', 'not-plain 3:6'],

  ['a second document', '---\nlabels: {}', 'many-documents 2:1'],
  ['a second document of nothing', '---', 'many-documents 2:1'],
  ['a second document after an end', '...\nlabels: {}', 'many-documents 3:1'],

  ['a key that stands twice', 'labels:\n  a: x\n  a: x', 'duplicate-key 4:3 labels.a'],
  ['a key that stands twice at the top', 'version: 1', 'duplicate-key 2:1 version'],
  ['a key with quotes and without', "labels:\n  a: x\n  'a': y", 'duplicate-key 4:3 labels.a'],
  ['a number with quotes and without', "labels:\n  1: x\n  '1': y", 'duplicate-key 4:3 labels.1'],
  ['a key twice in braces', 'labels: { a: x, a: y }', 'duplicate-key 2:17 labels.a'],

  ['a list for a key', 'labels:\n  ? [a]\n  : b', 'invalid-value 3:5 labels'],
  ['a block for a key', 'labels:\n  ? |\n    a\n  : b', 'invalid-value 3:5 labels'],
  ['nothing for a key', 'labels:\n  : b', 'invalid-value 3:3 labels'],
  [
    "the key of every object's ancestor",
    'labels:\n  __proto__: b',
    'unknown-key 3:3 labels.__proto__',
  ],
  ['the same at the top', '__proto__: { labels: {} }', 'unknown-key 2:1 __proto__'],

  ['a quote without an end', 'description: "x\nlabels:\n  a: b\n', 'syntax 2:14'],
  ['a bracket without an end', 'labels: { a: b', 'syntax 2:15'],
  ['a bracket without a beginning', 'labels: ]', 'syntax 2:9'],
  ['a value with a colon in it', 'description: this: that', 'syntax 2:14'],
  ['a key deeper than its neighbours', 'gateway:\n  expected: true\n   x: 1', 'syntax 3:13'],
  ['a key less deep than its neighbours', 'gateway:\n   expected: true\n  x: 1', 'syntax 4:1'],
  ['a reserved character', 'description: @x', 'syntax 2:14'],
  ['a percent sign, which begins no directive here', 'description: %x', 'syntax 2:14'],
  ['an escape that there is not', 'description: "\\z"', 'syntax 2:15'],
  ['words behind the end of a value', 'labels: {} x', 'syntax 2:12'],
];

describe('a file is refused for', () => {
  it.each(rejected)('%s', async (_title, text, expected) => {
    expect(outline(await readProfile(`version: 1\n${text}`))).toEqual([expected]);
  });

  it('a directive, which could turn `no` into false', async () => {
    for (const directive of ['%YAML 1.1', '%YAML 1.2', '%TAG ! tag:example.org,2026:', '%X']) {
      const file = await readProfile(`# first\n\n${directive}\n---\nversion: 1\n`);
      expect(outline(file)).toEqual(['directive 3:1']);
    }
  });
});

describe('what is refused comes with advice', () => {
  it('of where a key stands for the first time', async () => {
    const problem = problemOf(await readProfile('version: 1\nlabels: {}\nlabels: {}\n'));
    expect(problem).toMatchObject({
      file: `${dir}/profile.yaml`,
      message: 'the key `labels` is defined twice',
      hint: 'it is also on line 2',
    });
  });

  it('to write out what an alias stands for', async () => {
    const problem = problemOf(await readProfile('version: 1\nlabels: { a: *important }\n'));
    expect(problem.message).toContain('`*important`');
    expect(problem.hint).toContain('quotes');
  });

  it('and all keys that stand twice are named at once', async () => {
    const file = await readProfile('version: 1\nlabels:\n  a: x\n  a: x\n  b: x\n  b: x\n');
    expect(outline(file)).toEqual(['duplicate-key 4:3 labels.a', 'duplicate-key 6:3 labels.b']);
  });
});

describe('what looks odd and is not is read', () => {
  it.each([
    ['a beginning and an end of the document', '---\nversion: 1\n...\n'],
    ['a mapping in braces', '{ "version": 1 }'],
    ['a tab behind a value and before a comment', 'version:\t1\t# one\n\t# two\n\t\n'],
    ['a key with a question mark', '? version\n: 1\n'],
  ])('%s', async (_title, text) => {
    expect(settingsOf(await readProfile(text))).toEqual({ version: 1 });
  });

  it('a text of several lines, and signs within words', async () => {
    const file = await readProfile('version: 1\ndescription: >-\n  R&D * 2 !\n  100 % #1\n');
    expect(settingsOf(file).description).toBe('R&D * 2 ! 100 % #1');
  });
});

describe('nothing keeps a reader busy', () => {
  const KIB = 1024;
  /** Repeated up to the size limit of a file. */
  const fill = (text: string, start = '', end = ''): string =>
    start + text.repeat((256 * KIB - start.length - end.length) / text.length) + end;
  /** A thousand exceed only the limit of depth. */
  const THOUSAND = 1_000;

  it.each<[title: string, text: string, outline: string]>([
    ['brackets in brackets', '['.repeat(THOUSAND), 'too-deep 1:18'],
    ['mappings in braces in braces', '{a: '.repeat(THOUSAND), 'too-deep 1:69'],
    ['dashes behind dashes', '- '.repeat(THOUSAND), 'too-deep 1:35'],
    ['question marks behind question marks', '? '.repeat(THOUSAND), 'too-deep 1:35'],
    [
      'keys ever deeper',
      Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join(''),
      'too-deep 18:18',
    ],
    ['256 KiB of opening brackets', fill('['), 'too-large 1:20000'],
    ['256 KiB of closing brackets', fill(']'), 'too-large 1:20000'],
    ['256 KiB of dashes', fill('- '), 'too-large 1:20000'],
    ['256 KiB of a key', fill('a: 1\n'), 'too-large 2858:1'],
    ['256 KiB of escapes that there are not', fill('\\z', 'version: "', '"'), 'too-large 1:10'],
    ['256 KiB of documents', fill('---\n'), 'too-large 10000:4'],
    ['an alias bomb', 'a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n', 'not-plain 1:4'],
    ['a key of 256 KiB', fill('k', '"', '": 1'), 'syntax 1:1'],
    ['a version of 256 KiB', fill('1', 'version: '), 'invalid-value 1:10 version'],
  ])('%s', async (_title, text, expected) => {
    expect(outline(await readFleet(text))).toEqual([expected]);
  });

  it('and what is shown of a long value is short', async () => {
    const { message } = problemOf(await readFleet(fill('1', 'version: ')));
    expect(message.length).toBeLessThan(100);
  });

  it('and 2,000 mistakes are all placed', async () => {
    const keys = Array.from({ length: 2_000 }, (_, number) => `k${number}: 1`);
    const problems = problemsOf(await readFleet(`version: 1\n${keys.join('\n')}\n`));
    expect(problems.map(({ line }) => line)).toEqual(keys.map((_, index) => index + 2));
  });
});

/** Random combinations of YAML pieces, most of them invalid. */
const soup = fc
  .array(
    fc.constantFrom(
      ...['version: 1\n', 'labels:\n', 'a', ': ', '\n', '\n  ', '- ', '? ', '[', ']', '{', '}'],
      ...[',', '"', "'", '|\n', '>-\n', '&a ', '*a', '!!str ', '%', '---\n', '...\n', '\t', ' # '],
      ...['\\', '~', '0x1', '<<', '@', '\u{1f600}', '\r\n', '__proto__', '\ufeff', '\0'],
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(''));

it('no text and no bytes are more than refused', async () => {
  const content = fc.oneof(soup, fc.string({ unit: 'binary' }), fc.uint8Array());
  await fc.assert(
    fc.asyncProperty(content, async (bytes) => {
      const file = await readFleet(bytes);
      if (file.state !== 'rejected') return;
      expect(file.problems.length).toBeGreaterThan(0);
      for (const { line, column } of file.problems) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(column).toBeGreaterThanOrEqual(1);
      }
    }),
    { numRuns: 500 },
  );
});
