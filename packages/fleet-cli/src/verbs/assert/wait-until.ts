/**
 * Waits until a condition on a fleet is true or time is up. Changes on disk and deadlines wake it; it does not
 * poll.
 */
import {
  type ChangeWatch,
  FleetError,
  type WatchTargets,
  watchForChanges,
} from '@fleet-estop/sentinel-core';

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
    let watch: ChangeWatch | undefined;
    let done = false;
    let targets: WatchTargets = { scopes: [], deadlineMs: null };

    const finish = (settle: () => void): void => {
      if (done) return;
      done = true;
      settle();
      watch?.close();
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
    watch = watchForChanges(lookOnce);
    // The first look runs inside `watchForChanges`, before there is anything to close.
    if (done) watch.close();
  });
}
