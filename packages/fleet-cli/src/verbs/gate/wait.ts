/**
 * Waits until new work is admitted or time is up. Changes on disk and deadlines wake it; it does not poll.
 */

import { dirname } from 'node:path';
import {
  ask,
  type Following,
  follow,
  nextDeadline,
  type Question,
  type Reply,
} from '@fleet-estop/sentinel-core';
import { deadlinesIn, type WatchTargets } from '../../fleet/watch-targets.ts';

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
    let following: Following | undefined;
    let done = false;

    const look = (): WatchTargets => {
      const reply = ask(question);
      const leftMs = endsAt - performance.now();
      if (!done && (reply.admitted || leftMs <= 0)) {
        done = true;
        following?.close();
        resolve(reply);
      }
      const nowMs = Date.now();
      const deadlineMs = nextDeadline([...deadlinesIn(reply.states), nowMs + leftMs], nowMs);
      return { ...watched, deadlineMs };
    };
    following = follow(look);
    // The first look runs inside `follow`, before there is anything to close.
    if (done) following.close();
  });
}
