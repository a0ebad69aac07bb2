/**
 * What was explored, set by set, as the command found it: kept in `figures.json`, and printed as the
 * tables of both READMEs by `npm run explore -- SET … --record`. A set that was not run is in the table,
 * and so is one that failed.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { SETS } from './scenarios.ts';

export interface Figures {
  readonly runs: number;
  readonly of: number;
  readonly states: number;
  readonly capped: number;
  readonly violations: number;
  /** Of the code that was explored: see `fingerprint`. */
  readonly code: string;
}

interface Recorded {
  /** By the name of the set. */
  readonly sets: Readonly<Record<string, Figures>>;
  /** Single scenarios, by their name. */
  readonly alone: Readonly<Record<string, Figures>>;
}

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const FIGURES = at('figures.json');
export const PAGES: readonly string[] = [at('README.md'), at('../../README.md')];
const BEGIN = '<!-- table of npm run explore: begin -->';
const END = '<!-- table of npm run explore: end -->';

export const recorded = (): Recorded => JSON.parse(readFileSync(FIGURES, 'utf8')) as Recorded;

/** Adds the figures of a set or of a single scenario, and prints the tables anew. */
export async function record(
  kind: keyof Recorded,
  name: string,
  figures: Omit<Figures, 'code'>,
): Promise<void> {
  const before = recorded();
  const known = { ...before[kind], [name]: { ...figures, code: await fingerprint() } };
  const order = kind === 'sets' ? Object.keys(SETS) : Object.keys(known).sort();
  const inOrder = Object.fromEntries(
    order.flatMap((one) => (known[one] === undefined ? [] : [[one, known[one]]])),
  );
  const all = { ...before, [kind]: inOrder };
  writeFileSync(FIGURES, `${JSON.stringify(all, null, 2)}\n`);
  const tables = tablesOf(all);
  for (const page of PAGES) {
    const text = readFileSync(page, 'utf8');
    writeFileSync(page, text.replace(tablesIn(text), tables));
  }
}

/** The tables of a page, with their marks. */
export function tablesIn(text: string): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error('the page has no place for the table');
  return text.slice(begin, end + END.length);
}

export function tablesOf({ sets, alone }: Recorded): string {
  const rows = Object.entries(SETS).map(([name, { about }]) => {
    const known = sets[name];
    if (known === undefined) return `| ${name} | ${about} | not run | | | | |`;
    const { runs, of, states, capped, violations, code } = known;
    const done = `${figure(runs)} of ${figure(of)}`;
    const figures = [done, ...[states, capped, violations].map(figure)];
    return `| ${name} | ${about} | ${figures.join(' | ')} | \`${code}\` |`;
  });
  return [
    BEGIN,
    '| set | what it is about | runs done, of | states | capped | violations | code |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    'Single scenarios, each explored by itself:',
    '',
    '| scenario | states | capped | violations | code |',
    '|---|---|---|---|---|',
    ...Object.entries(alone).map(
      ([name, { states, capped, violations, code }]) =>
        `| ${name} | ${[states, capped, violations].map(figure).join(' | ')} | \`${code}\` |`,
    ),
    END,
  ].join('\n');
}

const figure = (value: number): string => value.toLocaleString('en');

/**
 * Of the protocol as it is built, without comments, layout and local names: a row says which code it is
 * about, and stays true where only words have changed.
 */
async function fingerprint(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [at('protocol.ts')],
    bundle: true,
    minify: true,
    write: false,
    platform: 'node',
    format: 'esm',
  });
  return createHash('sha256').update(outputFiles[0]!.contents).digest('hex').slice(0, 8);
}
