/**
 * What is asked of every door: between its answer and the start of the work it waits for nothing. A
 * pause that comes meanwhile would be answered with work that begins after it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { DoorFailure } from '../failure.ts';
import type { Knock } from '../knock.ts';
import type { Case, Trial } from '../trial.ts';

export const WAITS_NOT = 'begins nothing after a hold was placed, also where it had asked before';

/** Milliseconds after a knock at which a hold is placed. */
const PLACED_AFTER_MS = [0, 10, 40, 120];
/** Milliseconds: what was admitted just before the hold has been started, and is counted, by then. */
const STARTED_MS = 50;
/** Milliseconds for which work is waited for that must not begin any more. */
const WATCHED_MS = 300;

export const waitsNot = <Gateway>(
  knock: Knock<Gateway>,
  watch: NonNullable<Knock<Gateway>['watch']>,
): Case<Gateway> => ({
  door: knock.door,
  title: WAITS_NOT,
  async run(trial) {
    for (const afterMs of PLACED_AFTER_MS) {
      if (!(await beginsLate(trial, watch, afterMs))) continue;
      // On a busy machine the start of what was admitted before may be late once.
      if (!(await beginsLate(trial, watch, afterMs))) continue;
      throw new DoorFailure(
        knock.door,
        `work began at \`${knock.door}\` after a hold was placed: it was asked for before, and started later`,
        'ask last, and start at once: what takes time (a lookup, a login, a timer) comes before the question, or the gate is asked again after it; `twoStep` does',
      );
    }
  },
});

async function beginsLate<Gateway>(
  trial: Trial<Gateway>,
  watch: NonNullable<Knock<Gateway>['watch']>,
  afterMs: number,
): Promise<boolean> {
  const { fleet, principals, patience } = trial;
  const { begin, begun } = await watch(trial, principals.other);
  const beginning = begin();
  // It is awaited below: until then, what it rejects with is not unhandled.
  beginning.catch(() => {});
  await delay(afterMs);
  fleet.arm('profile');
  await delay(STARTED_MS);
  const before = await begun();
  await beginning;
  const late = await patience.until(async () => (await begun()) > before, WATCHED_MS);
  fleet.clear();
  // What was refused begins now, and is not in the way of the next one.
  await begin();
  return late;
}
