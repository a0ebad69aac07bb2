/**
 * Tests the claim of `rounds.ts` on what was explored: a past that was taken for another one must go
 * on with the same calls, answer for answer.
 */
import { type Merge, type Replay, run } from './replay.ts';

/** Merges that are tried, and how far each is followed. */
const TRIED = 40;
const STEPS = 60;

/** What differs; null: nothing was found to. Always tries the same paths. */
export function misjudgedMerge(replay: Replay): string | null {
  const { merges } = replay;
  const stride = Math.max(1, Math.floor(merges.length / TRIED));
  for (let at = 0; at < merges.length; at += stride) {
    const difference = follow(replay, merges[at]!, at);
    if (difference !== null) return difference;
  }
  return null;
}

function follow(replay: Replay, { past, point: from }: Merge, seed: number): string | null {
  let { log } = past;
  let point = from;
  for (let step = 0; step < STEPS; step++) {
    const { disk, ending } = run(point.actor, { ...past, log });
    const [does, would] = [disk.request, point.request].map((request) => JSON.stringify(request));
    if (ending !== null || does !== would) return `${point.actor.name} calls ${does}, not ${would}`;
    const explored = replay.explored(point);
    const taken = explored[(seed * 31 + step * 17) % Math.max(1, explored.length)];
    // Not explored any further, or its next round begins, which is a merge of its own.
    if (taken === undefined || taken.arrival.point.depth === 0) return null;
    log = [...log, taken.result];
    if (taken.arrival.ending !== null) {
      const ends = run(point.actor, { ...past, log }).ending;
      const same = JSON.stringify(ends) === JSON.stringify(taken.arrival.ending);
      return same ? null : `${point.actor.name} answers ${JSON.stringify(ends)}`;
    }
    point = taken.arrival.point;
  }
  return null;
}
