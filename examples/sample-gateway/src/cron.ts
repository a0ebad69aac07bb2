/**
 * The scheduler: one croner job, its door, and the sweep that catches up on missed runs.
 * Which runs were missed is `schedule.ts`.
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
  /** Does what the timer does. Answers whether the job ran. */
  tick(job: string): Promise<boolean>;
  readonly catchUp: MisfireDoor<string>;
  readonly jobs: readonly string[];
  close(): void;
}

const JOB = 'pulse';
const MAX_LOG_BYTES = 1024 * 1024;

/** Starts the scheduler. Throws if the cron pattern is invalid. */
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
    // A sweep has already caught up on this run.
    if (due === 0) return false;
    const ran = await door.run(job, () => record(home, job, 'on time'));
    // A run that was skipped or failed stays owed.
    if (ran.ran) schedule.settle(job, 1);
    return ran.ran;
  }

  const catchUp = misfireDoor<string>(gate, {
    missed() {
      try {
        return schedule.look(JOB).owed > 0 ? [JOB] : [];
      } catch (error) {
        // For example a full disk: the runs stay owed, and the next sweep tries again.
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
      if (!did.begun) throw new Error(`another process is catching up on \`${job}\``);
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

/** The job itself: appends a line to `cron.log`, which is rotated at 1 MiB with one old file. */
function record(home: string, job: string, how: string): void {
  const path = join(home, 'cron.log');
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  appendFileSync(path, `${new Date().toISOString()} ${job} ${how}\n`, { mode: 0o600 });
}
