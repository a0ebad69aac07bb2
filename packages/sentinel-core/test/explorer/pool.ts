/**
 * Spreads jobs over worker processes, in order, and hands on each answer as it comes.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { bundleFile, type Mutation } from '../../../../scripts/bundle.mjs';
import type { Answer, Job } from './jobs.ts';

/** The worker, with edits to the shipped source it is built from. */
export const buildWorker = (mutate: readonly Mutation[] = []): Promise<string> =>
  bundleFile(fileURLToPath(new URL('worker.ts', import.meta.url)), { mutate });

export interface PoolOptions {
  /** Path of a built worker. */
  readonly worker: string;
  readonly processes: number;
  /** Asked before each job; false: no more are begun. */
  readonly goesOn?: () => boolean;
}

/** Resolves when all jobs are done, or none is begun any more. Rejects when a worker dies. */
export async function runJobs<J extends Job>(
  jobs: readonly J[],
  { worker, processes, goesOn = () => true }: PoolOptions,
  onAnswer: (job: J, answer: Answer) => void,
): Promise<void> {
  const queue = [...jobs];
  const take = () => (goesOn() ? queue.shift() : undefined);
  const count = Math.min(processes, jobs.length);
  const workers = Array.from({ length: count }, () =>
    work(start(worker, heapMegabytes(count)), take, onAnswer),
  );
  await Promise.all(workers);
}

/** Long explorations need all the memory there is; a tenth is left to everybody else. */
const heapMegabytes = (processes: number): number =>
  Math.floor((totalmem() * 0.9) / 2 ** 20 / processes);

const start = (worker: string, megabytes: number): ChildProcess =>
  fork(worker, {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${megabytes}`, '--enable-source-maps'],
  });

async function work<J extends Job>(
  child: ChildProcess,
  take: () => J | undefined,
  onAnswer: (job: J, answer: Answer) => void,
): Promise<void> {
  try {
    for (let job = take(); job !== undefined; job = take()) {
      onAnswer(job, await ask(child, job));
    }
  } finally {
    child.disconnect();
  }
}

function ask(child: ChildProcess, job: Job): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const died = (code: number | null) => reject(new Error(`a worker died with ${code}`));
    child.once('exit', died);
    child.once('message', (answer: Answer) => {
      child.off('exit', died);
      resolve(answer);
    });
    child.send(job);
  });
}
