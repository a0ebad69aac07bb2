/**
 * Explores sets of scenarios, the mutants and the rejected designs: `npm run explore -- --help`.
 * Exits with 1 on any violation of the shipped code, and on any mutant or rejected design that is
 * acquitted.
 */
import { parseArgs } from 'node:util';
import { record } from './figures.ts';
import { judgeMutants, judgeRejected } from './guilty.ts';
import { describe, type Job } from './jobs.ts';
import { buildWorker, runJobs } from './pool.ts';
import { nameOf, SETS, scenariosOf } from './scenarios.ts';
import { Totals } from './totals.ts';

const USAGE = `npm run explore -- [SET …] [options]
sets:
${Object.entries(SETS)
  .map(([name, { about }]) => `  ${name.padEnd(9)}${about}`)
  .join('\n')}
options:
  --seconds N      begin no more scenarios of a set after N seconds
  --cap N          give up on a scenario after N states (3000000)
  --part I/N       every N-th scenario of a set, from the I-th (0/1)
  --jobs N         worker processes (2)
  --mutants        the broken versions of the shipped code
  --rejected       the rejected designs
  --record         keep the figures of these sets, or of the single scenario, and print them into
                   the tables of the READMEs
  --one INIT ACTOR…  a single scenario, with --kills N, --failures N, --any-errno, --late,
                   --no-links
  --plain          no reduction and no merging
  --trace          the shortest trace to everything, documented windows included
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: 'Infinity' },
    cap: { type: 'string', default: '3000000' },
    part: { type: 'string', default: '0/1' },
    jobs: { type: 'string', default: '2' },
    mutants: { type: 'boolean', default: false },
    rejected: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    one: { type: 'boolean', default: false },
    kills: { type: 'string', default: '0' },
    failures: { type: 'string', default: '0' },
    'any-errno': { type: 'boolean', default: false },
    late: { type: 'boolean', default: false },
    'no-links': { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const processes = Number(values.jobs);
const options = { cap: Number(values.cap), plain: values.plain };
const say = (text: string) => void process.stdout.write(`${text}\n`);

if (values.help) say(USAGE);
else if (!(await main())) process.exitCode = 1;

async function main(): Promise<boolean> {
  let clean = true;
  if (values.rejected) clean = (await judgeRejected(processes, say, values.trace)) && clean;
  if (values.mutants) clean = (await judgeMutants(processes, say, positionals)) && clean;
  else if (values.one) clean = await exploreOne();
  else for (const name of positionals) clean = (await exploreSet(name)) && clean;
  return clean;
}

async function exploreSet(name: string): Promise<boolean> {
  const [part = 0, parts = 1] = values.part.split('/').map(Number);
  const scenarios = scenariosOf(name).filter((_, at) => at % parts === part);
  const jobs = scenarios.map((scenario): Job => ({ kind: 'scenario', scenario, options }));
  const began = Date.now();
  const goesOn = () => Date.now() - began < Number(values.seconds) * 1000;
  const totals = await report(name, jobs, goesOn);
  if (values.record) await record('sets', name, totals.figures(jobs.length));
  return totals.clean;
}

async function exploreOne(): Promise<boolean> {
  const [initial = '', ...actors] = positionals;
  const scenario = {
    initial,
    actors,
    kills: Number(values.kills),
    failures: Number(values.failures),
    failing: values['any-errno'] ? ('anything' as const) : ('space' as const),
    lateCalls: values.late,
    linksRefused: values['no-links'],
  };
  const jobs: Job[] = [{ kind: 'scenario', scenario, options }];
  const totals = await report(positionals.join(' '), jobs);
  const name = values.late ? `${nameOf(scenario)}, late calls` : nameOf(scenario);
  if (values.record) await record('alone', name, totals.figures(1));
  return totals.clean;
}

async function report(name: string, jobs: readonly Job[], goesOn = () => true): Promise<Totals> {
  const totals = new Totals();
  const worker = await buildWorker();
  const progress = setInterval(() => {
    process.stderr.write(`… ${totals.line(name, jobs.length)}\n`);
  }, 60_000);
  await runJobs(jobs, { worker, processes, goesOn }, (job, answer) => {
    totals.add(job, answer);
    const broken = 'crashed' in answer ? ['crashed'] : [...answer.violations.keys()];
    if (broken.length > 0) process.stderr.write(`… ${broken.join(', ')} in ${describe(job)}\n`);
  });
  clearInterval(progress);
  say(totals.line(name, jobs.length));
  for (const line of totals.details({ traces: values.trace })) say(line);
  return totals;
}
