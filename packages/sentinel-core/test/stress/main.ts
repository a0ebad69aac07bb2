/**
 * `npm run stress -- [--minutes N] [--phase NAME]... [--dir DIR]... [--soft | --hard] [--seed TEXT] [--fsync]`
 * Divides the time among phases, folders and modes; prints a JSON line for each and a summary, and
 * exits with 1 where there was a violation. What it shows, and what not, is the README.
 */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { type PhaseName, phaseNames } from './phases.ts';
import type { Mode } from './post.ts';
import { type PhaseReport, summaryOf, violationsIn } from './report.ts';
import { buildWorker, runPhase } from './rig.ts';

const USAGE = `usage: npm run stress -- [--minutes N] [--phase ${phaseNames.join('|')}]... [--dir DIR]...
                          [--soft | --hard] [--seed TEXT] [--fsync]
`;

interface Plan {
  readonly minutes: number;
  readonly phases: readonly PhaseName[];
  readonly dirs: readonly string[];
  readonly modes: readonly Mode[];
  readonly seed: string;
  readonly fsync: boolean;
}

const plan = planOf(process.argv.slice(2));
if (typeof plan === 'string') {
  process.stderr.write(`stress: ${plan}\n${USAGE}`);
  process.exitCode = 2;
} else {
  process.exitCode = await stress(plan);
}

async function stress({ minutes, phases, dirs, modes, seed, fsync }: Plan): Promise<number> {
  const runs = phases.flatMap((phase) =>
    dirs.flatMap((dir) => modes.map((mode) => ({ phase, dir, mode }))),
  );
  const seconds = (minutes * 60) / runs.length;
  process.stderr.write(`stress: ${runs.length} runs of ${seconds.toFixed(1)} s, seed ${seed}\n`);
  // The first interrupt ends this run and reports; the second one ends it all.
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());

  const worker = await buildWorker();
  const reports: PhaseReport[] = [];
  for (const run of runs) {
    if (interrupted.signal.aborted) break;
    const options = { ...run, seconds, seed, fsync, worker, signal: interrupted.signal };
    const report = await runPhase(options);
    process.stdout.write(`${JSON.stringify(report)}\n`);
    reports.push(report);
  }
  process.stdout.write(`\n${summaryOf(reports)}`);
  if (interrupted.signal.aborted) return 130;
  return violationsIn(reports) === 0 ? 0 : 1;
}

/** A text says what is wrong with the words. */
function planOf(words: string[]): Plan | string {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(words);
  } catch (error) {
    return (error as Error).message;
  }
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) return `not a number of minutes: \`${values.minutes}\``;
  const unknown = values.phase?.find((name) => !phaseNames.some((known) => known === name));
  if (unknown !== undefined) return `no such phase: \`${unknown}\``;
  const dirs = values.dir ?? [...new Set([tmpdir(), '/dev/shm'])].filter((dir) => existsSync(dir));
  const missing = dirs.find((dir) => !existsSync(dir));
  if (missing !== undefined) return `no such folder: \`${missing}\``;
  if (values.soft && values.hard) return '--soft and --hard exclude each other';
  return {
    minutes,
    phases: phaseNames.filter((name) => values.phase?.includes(name) ?? true),
    dirs,
    modes: values.soft ? ['soft'] : values.hard ? ['hard'] : ['hard', 'soft'],
    seed: values.seed ?? `${Date.now()}`,
    fsync: values.fsync,
  };
}

function parse(words: string[]) {
  return parseArgs({
    args: words,
    options: {
      minutes: { type: 'string', default: '4' },
      phase: { type: 'string', multiple: true },
      dir: { type: 'string', multiple: true },
      soft: { type: 'boolean', default: false },
      hard: { type: 'boolean', default: false },
      seed: { type: 'string' },
      fsync: { type: 'boolean', default: false },
    },
  }).values;
}
