/**
 * Judges what must be found guilty: the mutants and the rejected designs.
 */
import type { Job } from './jobs.ts';
import { MUTANTS, type Mutant } from './mutants.ts';
import { buildWorker, runJobs } from './pool.ts';
import { REJECTED } from './rejected.ts';
import { Totals } from './totals.ts';

type Say = (text: string) => void;

/** Enough for each to be found out, and a bound on how long an acquittal takes. */
const CAP = 700_000;

export async function judgeRejected(processes: number, say: Say, traces = false): Promise<boolean> {
  const worker = await buildWorker();
  let allGuilty = true;
  for (const [design, { about, meetings }] of Object.entries(REJECTED)) {
    const jobs = meetings.map((meeting): Job => ({ kind: 'rejected', design, meeting }));
    const totals = new Totals();
    await runJobs(jobs, { worker, processes }, (job, answer) => totals.add(job, answer));
    const guilty = isGuilty(totals);
    allGuilty &&= guilty;
    say(`${guilty ? 'guilty  ' : 'ACQUITTED'} ${design}: ${about}`);
    for (const line of summary(totals, traces)) say(line);
  }
  return allGuilty;
}

/** `only`: names, or beginnings of names; none: all. */
export async function judgeMutants(
  processes: number,
  say: Say,
  only: readonly string[] = [],
): Promise<boolean> {
  const chosen = MUTANTS.filter(
    ({ name }) => only.length === 0 || only.some((begin) => name.startsWith(begin)),
  );
  const queue = [...chosen];
  let guilty = 0;
  const judge = async () => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const { verdict, lines } = await judgeMutant(mutant);
      if (verdict === 'guilty') guilty++;
      const word = verdict === 'guilty' ? verdict : verdict.toUpperCase();
      say([`${word}  ${mutant.name}`, ...lines].join('\n'));
    }
  };
  await Promise.all(Array.from({ length: processes }, judge));
  say(`${guilty} of ${chosen.length} mutants guilty`);
  return guilty === chosen.length;
}

export interface Judgement {
  readonly verdict: 'guilty' | 'acquitted' | 'broken';
  readonly lines: readonly string[];
  /** Rounds of an operation could not be merged. */
  readonly apart: boolean;
}

export async function judgeMutant({ edits, scenarios }: Mutant): Promise<Judgement> {
  const files = [...new Set(edits.map(([file]) => file))];
  const mutate = files.map((file) => ({
    file: `sentinel-core/src/${file}`,
    edits: edits
      .filter((edit) => edit[0] === file)
      .map(([, find, replace]) => [find, replace] as const),
  }));
  let worker: string;
  try {
    worker = await buildWorker(mutate);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { verdict: 'broken', lines: [`  ${why}`], apart: false };
  }
  const jobs = scenarios.map(
    (scenario): Job => ({ kind: 'scenario', scenario, options: { cap: CAP, untilFault: true } }),
  );
  const totals = new Totals();
  const goesOn = () => !isGuilty(totals);
  await runJobs(jobs, { worker, processes: 1, goesOn }, (job, answer) => totals.add(job, answer));
  const verdict = totals.crashed.length > 0 ? 'broken' : isGuilty(totals) ? 'guilty' : 'acquitted';
  return { verdict, lines: summary(totals, false), apart: totals.apart.length > 0 };
}

/** Code that merely crashes has not been judged. */
const isGuilty = ({ violations }: Totals): boolean =>
  [...violations.keys()].some((key) => key !== 'THREW');

function summary({ violations, crashed }: Totals, traces: boolean): string[] {
  const found = [...violations].map(([key, { text, where }]) => `  ${key} in ${where}: ${text}`);
  const [trace] = [...violations.values()].map((violation) => violation.trace);
  const lines = [...found, ...crashed.map((crash) => `  CRASHED ${crash}`)];
  return traces && trace !== undefined
    ? [...lines, ...trace.map((line) => `      ${line}`)]
    : lines;
}
