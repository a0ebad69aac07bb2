/**
 * The case that a door waits for nothing between its decision and the start of the work. Otherwise work
 * could begin after a pause.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Case, CaseContext } from '../case.ts';
import { DoorFailure } from '../failure.ts';
import type { Probe } from '../probe.ts';

export const WAITS_NOT = 'begins nothing after a hold was placed, even if it asked before';

/** Milliseconds between the start of an attempt and the hold. */
const PLACED_AFTER_MS = [0, 10, 40, 120];
/** Milliseconds in which work that was admitted just before the hold has started and was counted. */
const STARTED_MS = 50;
/** Milliseconds to watch for work that must not begin. */
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
      // On a busy machine, work that was admitted before the hold can start late once.
      if (!(await beginsLate(context, watch, afterMs))) continue;
      throw new DoorFailure(
        probe.door,
        `work began at \`${probe.door}\` after a hold was placed: the gate was asked before, and the work started later`,
        'ask last, then start at once: do slow steps (a lookup, a login, a timer) before asking, or ask again after them; `twoStep` does',
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
  // Awaited below; this prevents an unhandled rejection until then.
  beginning.catch(() => {});
  await delay(afterMs);
  fleet.arm('profile');
  await delay(STARTED_MS);
  const before = await begun();
  await beginning;
  const late = await patience.until(async () => (await begun()) > before, WATCHED_MS);
  fleet.clear();
  // Let the refused work begin, so that it does not disturb the next attempt.
  await begin();
  return late;
}
