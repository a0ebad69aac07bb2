/**
 * Makes texts that look like deadlines: dates, times and offsets of the grammar, most of them right,
 * and then up to three edits of a character. The same seed makes the same texts on every machine.
 * Who is asked about them is left to `cpython.ts` and the tests.
 */
import fc from 'fast-check';

const digits = (length: number) =>
  fc.integer({ min: 0, max: 10 ** length - 1 }).map((n) => String(n).padStart(length, '0'));
const from = (...texts: readonly string[]) => fc.constantFrom(...texts);
const joined = (...parts: readonly fc.Arbitrary<string>[]) =>
  fc.tuple(...parts).map((texts) => texts.join(''));
/** The text, or, one time in `every`, nothing. */
const maybe = (part: fc.Arbitrary<string>, every = 3) =>
  fc.option(part, { nil: '', freq: every - 1 });

/** One of these, or, one time in nine, any. */
const mostly = (texts: readonly string[], any: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 8, arbitrary: from(...texts) }, any);

const year = mostly(['2026', '2024', '1900', '0001', '9999'], digits(4));
const month = mostly(['01', '02', '11', '12'], digits(2));
const dayOfMonth = mostly(['01', '10', '28', '29', '31'], digits(2));
const week = mostly(['01', '22', '52', '53'], digits(2));
const weekday = mostly(['1', '4', '5', '6', '7'], digits(1));

/** The same mark between all parts, as the grammar has it. Edits break that. */
const marked = (
  mark: string,
  make: (mark: fc.Arbitrary<string>) => fc.Arbitrary<string>,
): fc.Arbitrary<string> => fc.boolean().chain((uses) => make(from(uses ? mark : '')));

const date = fc.oneof(
  marked('-', (mark) => joined(year, mark, month, mark, dayOfMonth)),
  marked('-', (mark) => joined(year, mark, from('W'), week, maybe(joined(mark, weekday)))),
);
const hour = mostly(['00', '12', '17', '23'], from('24', '25', '5'));
const sixtieth = mostly(['00', '30', '45', '59'], from('60', '99', '7'));
const decimals = joined(from('.', ','), fc.integer({ min: 0, max: 9 }).chain(digits));
const clock = marked(':', (mark) =>
  joined(hour, maybe(joined(mark, sixtieth, maybe(joined(mark, sixtieth, maybe(decimals, 2)))), 5)),
);
const separator = fc.oneof(from('T', ' ', '-', '+', 'Z', '1', ':', '\n', '\0', '\u{1f600}'));
const idle = from('', '', '', ' ', '.', ',', '  ');
const offset = joined(idle, fc.oneof(from('Z', 'z', '+', '-'), joined(from('+', '-'), clock)));
const stamp = joined(
  date,
  maybe(fc.oneof({ weight: 6, arbitrary: joined(separator, clock) }, separator, from('')), 5),
  maybe(offset),
);

type Edit = (text: string) => string;
const character = from(...'0123456789ZzTW:-+., \t', '\0', '\x1c', '\u00a0', '\ud800', '\uff11');
const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const edit: fc.Arbitrary<Edit> = fc
  .tuple(place, from('insert', 'remove', 'replace', 'append', 'cut'), character)
  .map(([share, kind, added]) => (text) => {
    const at = Math.floor(share * (text.length + 1));
    if (kind === 'append') return text + added;
    if (kind === 'cut') return text.slice(0, at);
    const rest = text.slice(kind === 'insert' ? at : at + 1);
    return text.slice(0, at) + (kind === 'remove' ? '' : added) + rest;
  });

/** Half of the texts are left as they are. */
const mostEdits = fc.oneof(fc.constant([]), fc.array(edit, { minLength: 1, maxLength: 3 }));
const edited = fc
  .tuple(stamp, mostEdits)
  .map(([text, edits]) => edits.reduce((changed, change) => change(changed), text));

/** `count` texts, some of them alike. */
export const stampTexts = (count: number, seed: number): readonly string[] =>
  fc.sample(edited, { numRuns: count, seed });
