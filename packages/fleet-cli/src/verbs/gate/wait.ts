/**
 * Waits until new work is admitted or time is up. Changes on disk and deadlines wake it; it does not poll.
 */

import { dirname } from 'node:path';
import {
  ask,
  type ChangeWatch,
  nextDeadline,
  type Question,
  type Reply,
  type WatchTargets,
  watchForChanges,
} from '@fleet-estop/sentinel-core';
import { deadlinesIn } from '../../fleet/watch-targets.ts';

/** Resolves with the last reply: admitted, or refused when the time is up. */
export function waitFor(question: Question, waitMs: number): Promise<Reply> {
  const { scopes } = question;
  const watched = {
    scopes: scopes.map(({ dir }) => dir),
    // If the folder of a profile is replaced, only a watch on its parent sees it.
    shapes: scopes.filter(({ kind }) => kind === 'profile').map(({ dir }) => dirname(dir)),
  };
  // Monotonic clock. Time in which the host sleeps does not count.
  const endsAt = performance.now() + waitMs;
  return new Promise((resolve) => {
    let watch: ChangeWatch | undefined;
    let done = false;

    const look = (): WatchTargets => {
      const reply = ask(question);
      const leftMs = endsAt - performance.now();
      if (!done && (reply.admitted || leftMs <= 0)) {
        done = true;
        watch?.close();
        resolve(reply);
      }
      const nowMs = Date.now();
      const deadlineMs = nextDeadline([...deadlinesIn(reply.states), nowMs + leftMs], nowMs);
      return { ...watched, deadlineMs };
    };
    watch = watchForChanges(look);
    // The first look runs inside `watchForChanges`, before there is anything to close.
    if (done) watch.close();
  });
}
