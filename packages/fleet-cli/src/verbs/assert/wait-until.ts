/**
 * Waits until a condition on a fleet is true or time is up. Changes on disk and deadlines wake it; it does not
 * poll.
 */
import { FleetError, type Following, follow } from '@fleet-estop/sentinel-core';
import type { WatchTargets } from '../../fleet/watch-targets.ts';

export interface Look<T> {
  readonly value: T;
  readonly isTrue: boolean;
  readonly targets: (alsoAtMs: number) => WatchTargets;
}

/**
 * Resolves with the value of the last look, which is true unless the time is up. An error of a look (a missing
 * profile) may go away; it is thrown only if the last look fails.
 */
export function waitUntil<T>(look: () => Look<T>, waitMs: number): Promise<T> {
  // Monotonic clock. Time in which the host sleeps does not count.
  const endsAt = performance.now() + waitMs;
  return new Promise((resolve, reject) => {
    let following: Following | undefined;
    let done = false;
    let targets: WatchTargets = { scopes: [], deadlineMs: null };

    const finish = (settle: () => void): void => {
      if (done) return;
      done = true;
      settle();
      following?.close();
    };

    const lookOnce = (): WatchTargets => {
      if (done) return targets;
      const isLast = performance.now() >= endsAt;
      const endsAtMs = Date.now() + endsAt - performance.now();
      try {
        const { value, isTrue, targets: targetsUntil } = look();
        targets = targetsUntil(endsAtMs);
        if (isTrue || isLast) finish(() => resolve(value));
      } catch (error) {
        if (isLast || !(error instanceof FleetError)) finish(() => reject(error));
        targets = { ...targets, deadlineMs: endsAtMs };
      }
      return targets;
    };
    following = follow(lookOnce);
    // The first look runs inside `follow`, before there is anything to close.
    if (done) following.close();
  });
}
