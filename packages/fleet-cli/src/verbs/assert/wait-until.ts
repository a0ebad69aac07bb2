/**
 * Waits until something is true of a fleet or time is up: woken by changes and by deadlines, not by
 * polling.
 */
import { FleetError, type Following, follow, type Outlook } from '@fleet-estop/sentinel-core';

export interface Sight<T> {
  readonly value: T;
  readonly isTrue: boolean;
  readonly outlook: (alsoAtMs: number) => Outlook;
}

/**
 * The last sight, which is true unless the time is up. What a look refuses (a profile that is gone) may
 * come back, and is thrown where it has not when the time is up.
 */
export function waitUntil<T>(look: () => Sight<T>, waitMs: number): Promise<T> {
  // By the clock that nobody sets. Time in which the host sleeps does not count.
  const endsAt = performance.now() + waitMs;
  return new Promise((resolve, reject) => {
    let following: Following | undefined;
    let done = false;
    let outlook: Outlook = { scopes: [], deadlineMs: null };

    const finish = (settle: () => void): void => {
      if (done) return;
      done = true;
      settle();
      following?.close();
    };

    const lookOnce = (): Outlook => {
      if (done) return outlook;
      const isLast = performance.now() >= endsAt;
      const endsAtMs = Date.now() + endsAt - performance.now();
      try {
        const { value, isTrue, outlook: outlookUntil } = look();
        outlook = outlookUntil(endsAtMs);
        if (isTrue || isLast) finish(() => resolve(value));
      } catch (error) {
        if (isLast || !(error instanceof FleetError)) finish(() => reject(error));
        outlook = { ...outlook, deadlineMs: endsAtMs };
      }
      return outlook;
    };
    following = follow(lookOnce);
    // Its first look comes before there is anything to close.
    if (done) following.close();
  });
}
