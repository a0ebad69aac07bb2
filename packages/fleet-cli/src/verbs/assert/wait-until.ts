/**
 * Waits until something is true of a fleet or time is up: woken by changes and by deadlines, not by
 * polling.
 */
import { FleetError, type Following, follow } from '@fleet-estop/sentinel-core';
import type { WatchTargets } from '../../fleet/watch-targets.ts';

export interface Look<T> {
  readonly value: T;
  readonly isTrue: boolean;
  readonly targets: (alsoAtMs: number) => WatchTargets;
}

/**
 * The last sight, which is true unless the time is up. What a look refuses (a profile that is gone) may
 * come back, and is thrown where it has not when the time is up.
 */
export function waitUntil<T>(look: () => Look<T>, waitMs: number): Promise<T> {
  // By the clock that nobody sets. Time in which the host sleeps does not count.
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
    // Its first look comes before there is anything to close.
    if (done) following.close();
  });
}
