/**
 * Every exit status of every verb, by the built command on a real fleet, and none undocumented.
 * Why a status is what it is belongs to each verb's own tests; the rows are `exit-rows.ts`.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { VERBS } from '../../src/verb-table.ts';
import { makeFleet, runFleet } from '../support/fleet.ts';
import { ALL, entryOfName, OWN_STATUS } from './exit-rows.ts';

describe.each(Object.keys(VERBS))('fleet %s', (name) => {
  const cases = ALL.filter(([verb]) => verb.split(' ')[0] === name).map(
    ([verb, code, what, words, arrange]) => ({ verb, code, what, words, arrange }),
  );
  it.each(cases)('$verb exits $code: $what', ({ code, what, words, arrange }) => {
    const fleet = makeFleet('lane-a');
    const options = arrange?.(fleet);
    const line = words.includes('--root') ? words : ['--root', fleet.root, ...words];
    const outcome = runFleet(line, options);
    expect(outcome.code, outcome.stderr).toBe(code);
    if (code !== 0 && what !== OWN_STATUS && code <= 128 && !isToldOnStdout(name)) {
      expect(outcome.stderr).not.toBe('');
    }
  });
});

/** Verbs whose findings are the answer itself. */
const isToldOnStdout = (verb: string): boolean => verb === 'doctor' || verb === 'assert';

describe('the table is whole', () => {
  const documented = documentedStatuses();

  it('docs/exit-codes.md lists each verb that there is, and no other', () => {
    const listed = new Set(documented.map(([verb]) => verb));
    expect([...listed].sort()).toEqual([...Object.keys(VERBS), 'gate --'].sort());
  });

  it.each(Object.keys(VERBS))('%s has rows for success, for misuse and for its failure', (verb) => {
    const codes = codesOf(verb);
    const { failure, wraps } = entryOfName(verb);
    expect(codes).toContain(EXIT.done);
    expect(codes).toContain(wraps === 'always' ? EXIT.fleetFailed : EXIT.usage);
    expect(codes).toContain(failure);
  });

  it.each(documented)('%s: the documented status %s has a row', (verb, status) => {
    const codes = codesOf(verb);
    if (status === '128+n') expect(codes.filter(isOfSignal)).not.toEqual([]);
    else if (status === '0 to 255') expect(codes).toEqual(expect.arrayContaining([0, 255]));
    else expect(codes).toContain(Number(status));
  });

  it('each row’s status is documented for its verb', () => {
    const statuses = new Set(documented.map(([verb, status]) => `${verb} ${status}`));
    const undocumented = ALL.filter(([verb, code, what, words]) => {
      const isChosen = what === OWN_STATUS || words.includes('--refused-code');
      const status = isOfSignal(code) ? '128+n' : String(code);
      return !isChosen && !statuses.has(`${verb} ${status}`);
    });
    expect(undocumented.map(([verb, code, what]) => `${verb} ${code}: ${what}`)).toEqual([]);
  });

  it('each status of `cli/exit-codes.ts` is the outcome of some row', () => {
    const codes = new Set(ALL.map(([, code]) => code));
    expect(Object.values(EXIT).filter((code) => !codes.has(code))).toEqual([]);
  });
});

const isOfSignal = (code: number): boolean => code > 128 && code < 193;

function codesOf(name: string): number[] {
  return ALL.filter(([verb]) => verb === name).map(([, code]) => code);
}

/** Verb and status of each cell in which docs/exit-codes.md says something. */
function documentedStatuses(): [verb: string, status: string][] {
  const page = readFileSync(new URL('../../../../docs/exit-codes.md', import.meta.url), 'utf8');
  const found: [string, string][] = [];
  let head: readonly string[] | null = null;
  for (const line of page.split('\n')) {
    const cells = line.startsWith('|') ? cellsOf(line) : null;
    if (cells === null) head = null;
    else if (head === null) head = cells;
    else if (!/^-+$/.test(cells[0] ?? '')) found.push(...statusesIn(head, cells));
  }
  return found;
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

function statusesIn(
  [corner, ...head]: readonly string[],
  [first = '', ...cells]: readonly string[],
): [string, string][] {
  const said = head.filter((_, at) => cells[at] !== '');
  if (corner === 'verb') return said.map((status) => [verbIn(first), status]);
  const verbs = said.filter((title) => title.startsWith('`fleet '));
  return verbs.map((title) => [verbIn(title), first]);
}

/** `gate` with a command is another one than without. */
const verbIn = (title: string): string =>
  title
    .replaceAll('`', '')
    .replace(/^fleet /, '')
    .replace(/^window --/, 'window')
    .replace(/ CMD$/, '');
