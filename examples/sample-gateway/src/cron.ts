/**
 * The scheduler: one job by croner, its door, and the sweep that makes up for runs that were missed.
 * Which runs those are is `schedule.ts`.
 */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  cronDoor,
  type Gate,
  type MisfireDoor,
  misfireDoor,
  whileRunning,
  withWork,
} from '@fleet-estop/gateway';
import { Cron } from 'croner';
import type { Log } from './log.ts';
import { openSchedule } from './schedule.ts';

export interface Scheduler {
  /** As its timer does. Answers whether the job ran. */
  tick(job: string): Promise<boolean>;
  readonly catchUp: MisfireDoor<string>;
  readonly jobs: readonly string[];
  close(): void;
}

const JOB = 'pulse';
const MAX_LOG_BYTES = 1024 * 1024;

/** Throws where the pattern is none. */
export function startCron(gate: Gate, home: string, pattern: string, log: Log): Scheduler {
  const door = cronDoor(gate);
  const failed = (error: unknown): void => log('a job failed', { job: JOB, error: String(error) });
  const timer = new Cron(pattern, { paused: true }, () => void tick(JOB).catch(failed));
  const schedule = openSchedule(
    join(home, 'cron.json'),
    (_job, after, most) => timer.nextRuns(most, after),
    log,
  );

  async function tick(job: string): Promise<boolean> {
    const { due } = schedule.look(job);
    // A sweep was first, and has made up for it.
    if (due === 0) return false;
    const ran = await door.run(job, () => record(home, job, 'on time'));
    // What was not run, or not whole, stays owed.
    if (ran.ran) schedule.settle(job, 1);
    return ran.ran;
  }

  const catchUp = misfireDoor<string>(gate, {
    missed() {
      try {
        return schedule.look(JOB).owed > 0 ? [JOB] : [];
      } catch (error) {
        // A full disk, say: it stays owed, and the next sweep looks again.
        failed(error);
        return [];
      }
    },
    async start(job) {
      const { owed } = schedule.look(job);
      const did = await withWork(gate, { door: 'cron-misfire', id: job }, () => {
        record(home, job, `made up for ${owed} missed`);
        schedule.settle(job, owed);
      });
      if (!did.begun) throw new Error(`\`${job}\` is being made up for elsewhere`);
    },
    onSwept: ({ ran, failed: jobs }) => log('swept', { ran, failed: jobs.length }),
  });
  const stop = whileRunning(
    gate,
    () => void timer.resume(),
    () => void timer.pause(),
  );
  return {
    tick,
    catchUp,
    jobs: [JOB],
    close() {
      stop();
      catchUp.close();
      timer.stop();
    },
  };
}

/** The job itself: a line in `cron.log`, which is kept at two files of 1 MiB. */
function record(home: string, job: string, how: string): void {
  const path = join(home, 'cron.log');
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  appendFileSync(path, `${new Date().toISOString()} ${job} ${how}\n`, { mode: 0o600 });
}
