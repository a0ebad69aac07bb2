/**
 * The door of a scheduler: decides whether the jobs that are due may start.
 * Missed runs are `misfire.ts`; stopping the timers is `while-running.ts`.
 */
import type { Gate } from '../gate/gate.ts';
import { askAtEachPause } from './at-each-pause.ts';
import { servedProfile } from './served-profile.ts';
import { waitForStart } from './wait-for-start.ts';
import { withWork } from './with-work.ts';

export type CronRun<Value> =
  | { readonly ran: true; readonly value: Value }
  /**
   * `held`: paused. `in-hand`: the previous run is not over, here or in another process, or waits for its
   * turn here.
   */
  | { readonly ran: false; readonly why: 'held' | 'in-hand' };

export interface CronDoor {
  /**
   * true if due jobs may start now. For schedulers that start many jobs in one tick. With `resumeRate`, true
   * is one start: use `run`, or ask before each job.
   */
  tick(): boolean;
  /**
   * Runs a due job as work in hand with the id `job`, or skips it. It first waits for its turn where
   * `resumeRate` says "not yet"; a hold that comes meanwhile refuses it. Rejects with what the job throws. A
   * skipped run is not remembered: use `misfireDoor` to catch up.
   */
  run<Value>(job: string, work: () => Value | Promise<Value>): Promise<CronRun<Value>>;
}

/** Throws PROFILE_UNKNOWN if the gate serves several profiles and `profile` names none of them. */
export function cronDoor(gate: Gate, options: { readonly profile?: string } = {}): CronDoor {
  const profile = servedProfile(gate, options.profile);
  const tick = () => gate.dispatch('cron', profile);
  /** Jobs that wait for their turn. A job that is due again meanwhile must not start once for each time. */
  const waiting = new Set<string>();
  const comesToItsTurn = async (job: string): Promise<boolean> => {
    waiting.add(job);
    try {
      return await waitForStart(gate, 'cron', profile);
    } finally {
      waiting.delete(job);
    }
  };
  askAtEachPause(gate, 'cron', profile);
  return {
    tick,
    async run(job, work) {
      if (waiting.has(job)) return { ran: false, why: 'in-hand' };
      // Without a wait, nothing comes between the answer and the start.
      const mayStart = tick() || (await comesToItsTurn(job));
      if (!mayStart) return { ran: false, why: 'held' };
      const did = await withWork(gate, { door: 'cron', id: job, profile }, work);
      return did.begun ? { ran: true, value: did.value } : { ran: false, why: 'in-hand' };
    },
  };
}
