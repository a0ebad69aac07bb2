/**
 * Waits until new work is admitted or time is up: woken by changes and by deadlines, not by polling.
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

/** The last reply: admitted, or what refuses when the time is up. */
export function waitFor(question: Question, waitMs: number): Promise<Reply> {
  const { scopes } = question;
  const watched = {
    scopes: scopes.map(({ dir }) => dir),
    // Where the folder of a profile is replaced, its parent tells.
    shapes: scopes.filter(({ kind }) => kind === 'profile').map(({ dir }) => dirname(dir)),
  };
  // By the clock that nobody sets. Time in which the host sleeps does not count.
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
    // Its first look comes before there is anything to close.
    if (done) following.close();
  });
}
