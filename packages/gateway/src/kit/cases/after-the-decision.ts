/**
 * What is asked of every door: between its answer and the start of the work it waits for nothing. A
 * pause that comes meanwhile would be answered with work that begins after it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Case, CaseContext } from '../case.ts';
import { DoorFailure } from '../failure.ts';
import type { Probe } from '../probe.ts';

export const WAITS_NOT = 'begins nothing after a hold was placed, also where it had asked before';

/** Milliseconds after a probe at which a hold is placed. */
const PLACED_AFTER_MS = [0, 10, 40, 120];
/** Milliseconds: what was admitted just before the hold has been started, and is counted, by then. */
const STARTED_MS = 50;
/** Milliseconds for which work is waited for that must not begin any more. */
const WATCHED_MS = 300;

export const waitsNot = <Gateway>(
  probe: Probe<Gateway>,
  watch: NonNullable<Probe<Gateway>['watch']>,
): Case<Gateway> => ({
  door: probe.door,
  title: WAITS_NOT,
  async run(context) {
    for (const afterMs of PLACED_AFTER_MS) {
      if (!(await beginsLate(context, watch, afterMs))) continue;
      // On a busy machine the start of what was admitted before may be late once.
      if (!(await beginsLate(context, watch, afterMs))) continue;
      throw new DoorFailure(
        probe.door,
        `work began at \`${probe.door}\` after a hold was placed: it was asked for before, and started later`,
        'ask last, and start at once: what takes time (a lookup, a login, a timer) comes before the question, or the gate is asked again after it; `twoStep` does',
      );
    }
  },
});

async function beginsLate<Gateway>(
  context: CaseContext<Gateway>,
  watch: NonNullable<Probe<Gateway>['watch']>,
  afterMs: number,
): Promise<boolean> {
  const { fleet, principals, patience } = context;
  const { begin, begun } = await watch(context, principals.other);
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
