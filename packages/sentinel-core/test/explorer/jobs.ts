/**
 * What a worker process is asked to explore, and what it answers.
 */
import type { Options, Report } from './explore.ts';
import { runRejected } from './rejected.ts';
import { nameOf, runScenario, type Scenario } from './scenarios.ts';

export type Job =
  | {
      readonly kind: 'scenario';
      readonly scenario: Scenario;
      readonly options: Partial<Options>;
    }
  | { readonly kind: 'rejected'; readonly design: string; readonly meeting: readonly string[] };

export type Answer = Report | { readonly crashed: string };

export const describe = (job: Job): string =>
  job.kind === 'scenario' ? nameOf(job.scenario) : `dead: ${job.meeting.join(' + ')}`;

export function perform(job: Job, onProgress?: Options['onProgress']): Answer {
  try {
    return job.kind === 'scenario'
      ? runScenario(job.scenario, { ...job.options, onProgress })
      : runRejected(job.design, job.meeting);
  } catch (error) {
    return { crashed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
