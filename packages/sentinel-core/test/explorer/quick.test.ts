/**
 * The part of the exploration that runs with every `npm test`: a fixed choice of scenarios, all
 * mutants, the rejected designs, and the reductions against exploring without them. The whole of it is
 * `npm run explore`; see `README.md`.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Report } from './explore.ts';
import { PAGES, recorded, tablesIn, tablesOf } from './figures.ts';
import { type Judgement, judgeMutant } from './guilty.ts';
import type { Job } from './jobs.ts';
import { MUTANTS } from './mutants.ts';
import { buildWorker, runJobs } from './pool.ts';
import { REJECTED, runRejected } from './rejected.ts';
import { quickScenariosOf, quickSets, runScenario, type Scenario, SETS } from './scenarios.ts';
import { Totals } from './totals.ts';

const PROCESSES = 2;
/** Some of these take half a minute alone, and minutes where the machine is busy. */
const PATIENCE_MS = 300_000;

/** About half of what each set had when it was chosen: less means that something is not explored. */
const STATES: Readonly<Record<string, number>> = {
  one: 1_000,
  pairs: 200_000,
  triples: 30_000,
  ahead: 15_000,
  checks: 35_000,
  lib3: 60_000,
  full: 45_000,
  errno: 5_000,
  nolinks: 5_000,
  odd: 25_000,
  walkp: 10_000,
  walk3: 50_000,
};

let built: Promise<string> | undefined;
const shippedWorker = (): Promise<string> => {
  built ??= buildWorker();
  return built;
};

const judgements: Promise<Judgement>[] = [];
/** Begins it on the first call. That it fails is for the test to see that waits for it. */
function judgementOf(at: number): Promise<Judgement> {
  const mutant = MUTANTS[at];
  if (mutant === undefined) throw new Error(`no such mutant: ${at}`);
  let judgement = judgements[at];
  if (judgement === undefined) {
    judgement = judgeMutant(mutant);
    judgement.catch(() => {});
    judgements[at] = judgement;
  }
  return judgement;
}

it('a part of every set is explored here', () => {
  expect(quickSets().sort()).toEqual(Object.keys(SETS).sort());
});

it('the tables of the READMEs are what the command has kept, set by set', () => {
  for (const page of PAGES) expect(tablesIn(readFileSync(page, 'utf8'))).toBe(tablesOf(recorded()));
});

it.each(quickSets())(
  'no interleaving, broken off anywhere, breaks a promise: the set %s',
  async (set) => {
    // The dearest first, so that at the end no process waits long for the other.
    const jobs = quickScenariosOf(set)
      .reverse()
      .map((scenario): Job => ({ kind: 'scenario', scenario, options: {} }));
    const worker = await shippedWorker();
    const totals = new Totals();
    await runJobs(jobs, { worker, processes: PROCESSES }, (job, answer) => totals.add(job, answer));
    expect(totals.details({ traces: false }).filter((line) => !/^ {2}window/.test(line))).toEqual(
      [],
    );
    expect(totals).toMatchObject({ runs: jobs.length, capped: [], apart: [], clean: true });
    expect(totals.states).toBeGreaterThan(STATES[set]!);
  },
  PATIENCE_MS,
);

it.each(MUTANTS.map(({ name }, at) => ({ name, at })))(
  'a broken protocol is found guilty: $name',
  async ({ at }) => {
    // Each takes one process, so the next one is judged meanwhile.
    if (at + 1 < MUTANTS.length) void judgementOf(at + 1);
    const { verdict, lines } = await judgementOf(at);
    expect([verdict, ...lines]).toEqual(['guilty', ...lines]);
  },
  PATIENCE_MS,
);

it.each(Object.entries(REJECTED))(
  'the rejected design %s is found guilty',
  (name, { meetings }) => {
    const reports = meetings.map((meeting) => runRejected(name, meeting));
    const broken = new Set(reports.flatMap(({ violations }) => [...violations.keys()]));
    expect([...broken]).toContain('LOST');
  },
);

it('a trace tells the story: the upstream design takes a new hold for the expired one', () => {
  const { violations } = runRejected('upstream', ['check', 'retire', 'wren']);
  expect(violations.get('I3')?.trace).toEqual([
    'retire#b: now() -> 10000',
    'wren#c: put(draft-of-c, the body Rc)',
    'retire#b: open(ESTOP, r) -> ib0.1@i0',
    'retire#b: read(ib0.1@i0) -> the body E',
    'wren#c: rename(draft-of-c, ESTOP)',
    'retire#b: rename(ESTOP, .ESTOP.retiring-b0-0)',
    'retire#b: now() -> 10000',
    'check#a: lstat(ESTOP) -> nothing   => {"engaged":false}',
  ]);
});

const scenario = (initial: string, ...actors: string[]): Scenario => ({
  initial,
  actors,
  kills: 1,
  failures: 0,
  failing: 'space',
  lateCalls: false,
  linksRefused: false,
});

it.each<[string, Scenario]>([
  ['a lift and a text written in place', scenario('two', 'liftH', 'wtext')],
  ['an arm, a rename and time', scenario('soon', 'armH', 'wren', 'tick')],
  ['a retirement, a rename and a check', scenario('dead2', 'retire', 'wren', 'check')],
  ['a full disk', { ...scenario('dead2', 'armO', 'wren'), failures: 3 }],
  ['late calls', { ...scenario('hold', 'liftH', 'recover'), lateCalls: true }],
  ['a file system without links', { ...scenario('two', 'liftH', 'check'), linksRefused: true }],
])(
  'steps taken alone and pasts taken for one change no verdict: %s',
  (_, chosen) => {
    const reduced = runScenario(chosen);
    const plain = runScenario(chosen, { plain: true });
    const seen = ({ endings, violations, windows }: Report) =>
      [endings, violations, windows].map((found) => [...found.keys()].sort());
    expect(seen(reduced)).toEqual(seen(plain));
    expect(reduced.states).toBeLessThan(plain.states);
  },
  PATIENCE_MS,
);

it.each<[string, Scenario]>([
  ['two lifts of different holders', scenario('two', 'liftH', 'liftO')],
  ['a lift, a recovery and a rename', scenario('two', 'liftH', 'recover', 'wren')],
  ['two lifts fenced alike', scenario('hold', 'liftHid', 'liftHid')],
  ['a full disk', { ...scenario('dead2', 'armO'), failures: 2 }],
  ['late calls', { ...scenario('hold', 'liftH', 'recover'), lateCalls: true }],
])(
  'to die is to take no further step, and no verdict changes where it is a step: %s',
  (_, chosen) => {
    const stepless = runScenario({ ...chosen, kills: 0 });
    const killed = runScenario({ ...chosen, kills: 2 });
    const seen = ({ endings, violations, windows }: Report) =>
      [endings, violations, windows].map((found) =>
        [...found.keys()].filter((key) => !key.includes('killed')).sort(),
      );
    expect(seen(stepless)).toEqual(seen(killed));
    expect(killed.endings.size).toBeGreaterThan(stepless.endings.size);
  },
  PATIENCE_MS,
);

it('rounds are kept apart where the code turns out to carry something from one to the next', async () => {
  const carries = MUTANTS.findIndex(({ name }) => name.includes('before the tenure'));
  const { verdict, apart } = await judgementOf(carries);
  expect({ verdict, apart }).toEqual({ verdict: 'guilty', apart: true });
});

it('gives up at its cap, and says so', () => {
  expect(runScenario(scenario('two', 'liftH', 'armK'), { cap: 500 }).capped).toBe(true);
});
