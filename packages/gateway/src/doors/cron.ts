/**
 * The door of a scheduler: may the jobs that are due now start?
 * What was missed meanwhile is the affair of `misfire.ts`; stopping the timers, of `while-running.ts`.
 */
import type { Gate } from '../gate/gate.ts';
import { askAtEachPause } from './at-each-pause.ts';
import { servedProfile } from './served-profile.ts';
import { withWork } from './with-work.ts';

export type CronRun<Value> =
  | { readonly ran: true; readonly value: Value }
  /** `held`: paused. `in-hand`: the run before is not over, here or in another process. */
  | { readonly ran: false; readonly why: 'held' | 'in-hand' };

export interface CronDoor {
  /** May what is due now start? For schedulers that start many jobs in one tick. */
  tick(): boolean;
  /**
   * Runs a job that is due, as work in hand under its name, or skips it. What the job throws comes
   * through. A skipped run is not kept: whether it is made up for is for the catch-up sweep.
   */
  run<Value>(job: string, work: () => Value | Promise<Value>): Promise<CronRun<Value>>;
}

export function cronDoor(gate: Gate, options: { readonly profile?: string } = {}): CronDoor {
  const profile = servedProfile(gate, options.profile);
  const tick = () => gate.dispatch('cron', profile);
  askAtEachPause(gate, 'cron', profile);
  return {
    tick,
    async run(job, work) {
      if (!tick()) return { ran: false, why: 'held' };
      const did = await withWork(gate, { door: 'cron', id: job, profile }, work);
      return did.begun ? { ran: true, value: did.value } : { ran: false, why: 'in-hand' };
    },
  };
}
