/**
 * A process that explores what it is sent, one job after the other. Who sends them is `pool.ts`.
 */
import { describe, type Job, perform } from './jobs.ts';

const PROGRESS_EVERY_MS = 60_000;

// Errno errors are thrown by the million, and nobody looks at where they came from.
Error.stackTraceLimit = 0;

process.on('message', (job: Job) => process.send?.(perform(job, progressOf(job))));
process.on('disconnect', () => process.exit());

/** Says on stderr how far a long exploration has got. */
function progressOf(job: Job): (found: number, lookedAt: number) => void {
  let saidAt = Date.now();
  return (found, lookedAt) => {
    if (Date.now() - saidAt < PROGRESS_EVERY_MS) return;
    saidAt = Date.now();
    const [all, done] = [found, lookedAt].map((count) => count.toLocaleString('en'));
    process.stderr.write(`… ${describe(job)}: ${all} states found, ${done} looked at\n`);
  };
}
