/**
 * A process that explores what it is sent, one job after the other. Who sends them is `pool.ts`.
 */
import { type Job, perform } from './jobs.ts';

// Errno errors are thrown by the million, and nobody looks at where they came from.
Error.stackTraceLimit = 0;

process.on('message', (job: Job) => process.send?.(perform(job)));
process.on('disconnect', () => process.exit());
