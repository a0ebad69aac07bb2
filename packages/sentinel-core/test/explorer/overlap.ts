/**
 * What the checks that are under way may answer: "free" breaks a promise where one hold was in force
 * from before the check began until its answer [3].
 */
import { omit, type Watches } from './extras.ts';
import type { Notes } from './ghost.ts';
import type { HoldText } from './reading.ts';
import type { Arrival, Point } from './replay.ts';
import { answerOf } from './tally.ts';

/**
 * Of one check: the holds in force since it began. null: for a moment nothing was in force, so
 * either answer is right.
 */
export type Watch = readonly HoldText[] | null;

/** The watches after a step that led from the holds `before` to the holds `after`. */
export function watchStep(
  watches: Watches,
  { actor, begun }: Point,
  before: readonly HoldText[],
  after: readonly HoldText[],
): Watches {
  const { index, role } = actor;
  let watched = watches;
  if (role === 'check' && !begun) {
    watched = { ...watches, [index]: before.length > 0 ? before : null };
  } else if (before === after) return watches;
  return mapWatches(watched, (watch) => {
    if (watch === null || after.length === 0) return null;
    return watch.filter((text) => after.includes(text));
  });
}

/** Judges the answer of a check, and ends its watch. */
export function endWatch(watches: Watches, { actor }: Point, { ending }: Arrival, notes: Notes) {
  if (actor.role !== 'check' || ending === null) return watches;
  const watch = watches[actor.index] ?? null;
  if (answerOf(ending).engaged === false && watch !== null) {
    const text = 'a check answered free under a standing hold';
    const overlap =
      'a check overlapping the end of one hold and the start of another answered free';
    notes.push(watch.length > 0 ? { breaks: 'I3', text } : { breaks: 'window', text: overlap });
  }
  return omit(watches, actor.index);
}

function mapWatches(watches: Watches, map: (watch: Watch) => Watch): Watches {
  const entries = Object.entries(watches);
  if (entries.length === 0) return watches;
  return Object.fromEntries(entries.map(([index, watch]) => [index, map(watch)]));
}
