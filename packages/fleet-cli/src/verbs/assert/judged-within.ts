/**
 * Judges again and again until the assertion holds or time is up. For what only the watcher and other
 * processes know: what is on disk alone is waited for in `wait-until.ts`.
 */
import { FleetError } from '@fleet-estop/sentinel-core';
import type { AssertFacts } from './judgement.ts';

// Most gateways answer within milliseconds, and the others may take long.
const FIRST_PAUSE_MS = 10;
const MOST_PAUSE_MS = 250;
const PAUSE_GROWTH = 1.6;

/** `withinMs`: how long to wait; null: do not wait. `waits` is what `judgeOnce` is told of that. */
export async function judgedWithin(
  judgeOnce: (nowMs: number, waits: boolean) => Promise<AssertFacts>,
  nowMs: number,
  withinMs: number | null,
): Promise<AssertFacts> {
  const began = performance.now();
  let facts = await judgeOnce(nowMs, withinMs !== null);
  if (withinMs === null) return facts;
  for (let pauseMs = FIRST_PAUSE_MS; !facts.holds; ) {
    const restMs = began + withinMs - performance.now();
    if (restMs <= 0) break;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, restMs)));
    pauseMs = Math.min(pauseMs * PAUSE_GROWTH, MOST_PAUSE_MS);
    const isLast = performance.now() - began >= withinMs;
    try {
      facts = await judgeOnce(Date.now(), true);
    } catch (error) {
      // A missing profile may come back before the time is up.
      if (isLast || !(error instanceof FleetError)) throw error;
    }
  }
  return { ...facts, waitedMs: performance.now() - began };
}
