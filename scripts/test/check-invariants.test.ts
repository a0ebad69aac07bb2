/**
 * Which comments cite an invariant, and what is found wrong with them and with the list.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { citationsIn, definedIn, PAGE, undefinedIn } from '../check-invariants.mjs';

const numbersIn = (text: string): number[] => citationsIn('a.ts', text).map(({ number }) => number);

const page = (...invariants: readonly (readonly [number, string])[]): string =>
  invariants.map(([number, text]) => `### Invariant ${number}\n\n${text}\n\nKept.\n`).join('\n');

const faultsOf = (text: string): string[] => definedIn(text).faults.map(({ why }) => why);

describe('a comment cites', () => {
  test.each([
    ['a number in brackets', '// a hint to look again, never a statement [9].', [9]],
    ['two of them', '/** touches only what it examined [1][4]: given back. */', [1, 4]],
    ['before a colon', '// Unknown is held [2]: only a plain `false` is free.', [2]],
    ['at the begin of a line', '/**\n * The disk is the authority\n * [8].\n */\nlet a;', [8]],
    ['by the word', '  // INVARIANT 12: only what was sent counts.', [12]],
    ['two by the word', '// INVARIANTS 3 and 5: a gate may have moved it away.', [3, 5]],
    ['in a list', '/** Errors; invariants 1, 4 and 6. */', [1, 4, 6]],
    ['behind code on its line', 'call(); // never lifts [8]', [8]],
    ['between two arguments', 'call(a, /* bounded [7] */ b);', [7]],
    ['above a member', 'interface A {\n  /** Throws nothing [7]. */\n  b(): void;\n}', [7]],
    ['in the end of a file', 'let a = 1;\n// the last state arrives [9]\n', [9]],
    ['in a template', 'const a = `\x24{/* held [2] */ b}`;', [2]],
  ])('%s', (_what, text, numbers) => {
    expect(numbersIn(text)).toEqual(numbers);
  });

  test('with the line on which it stands', () => {
    const text = 'let a;\n/**\n * one\n * two [5]\n */\nlet b;\n// three [6]';
    expect(citationsIn('a.ts', text)).toEqual([
      { line: 4, number: 5 },
      { line: 7, number: 6 },
    ]);
  });
});

describe('these are no citations', () => {
  test.each([
    ['an index', 'const a = list[9]; const b = [9]; const c = list?.[1];'],
    ['a list over lines', 'const a = [\n  [1],\n  [99],\n];'],
    ['an index in a comment', '// the first is hooks[0], and `list[99]` the last'],
    [
      'a text in backticks',
      '/** Such as `a [99]`, or\n * `watcher.webhooks [98]\n * .url`. */\nlet a;',
    ],
    ['a comment in a text', 'const a = "// [99]"; const b = `/* [99] */`;'],
    ['a comment in a regular expression', 'const a = /[/*] [99]/; const b = /x/ /* y */;'],
    ['a link', '// see [99](https://example.org)'],
    ['an invariant without a number', '// INVARIANT: every name carries a token.'],
  ])('%s', (_what, text) => {
    expect(numbersIn(text)).toEqual([]);
  });
});

describe('the check fails', () => {
  const { invariants } = definedIn(page([1, '> One.'], [2, '> Two.']));

  test('on a citation of an invariant that there is not', () => {
    const text = 'let a;\n// unknown is held [2], and this is bad [13]';
    expect(undefinedIn('packages/x/src/a.ts', text, invariants)).toEqual([
      {
        file: 'packages/x/src/a.ts',
        line: 2,
        why: `${PAGE} defines no invariant 13 (an index is written in backticks)`,
      },
    ]);
    expect(undefinedIn('a.ts', '// INVARIANT 3: x', invariants)).toHaveLength(1);
  });

  test.each([
    ['without a text', page([1, '> One.'], [2, 'Two.']), ['invariant 2 has no text']],
    ['at its end, without a text', '### Invariant 1\n', ['invariant 1 has no text']],
    ['with a gap', page([1, '> One.'], [3, '> Three.']), ['invariant 2 is missing']],
    ['with a number twice', page([1, '> One.'], [1, '> Two.']), ['invariant 1 is defined twice']],
    [
      'with a text twice',
      page([1, '> One.'], [2, '> One.']),
      ['invariant 2 has the text of another one'],
    ],
    ['of nothing', '# Concepts\n', ['it defines no invariant']],
  ])('on a list %s', (_what, text, faults) => {
    expect(faultsOf(text)).toEqual(faults);
  });
});

test('the page defines twelve invariants, and nothing is wrong with them', () => {
  const { invariants, faults } = definedIn(
    readFileSync(new URL(`../../${PAGE}`, import.meta.url), 'utf8'),
  );
  expect(faults).toEqual([]);
  expect([...invariants.keys()]).toEqual(Array.from({ length: 12 }, (_, nth) => nth + 1));
});
