/**
 * Computes the wait before the next connection attempt: it grows up to a bound, and is randomized so
 * that a thousand gateways do not reconnect to a new watcher in the same millisecond.
 */
export interface Backoff {
  /** Milliseconds of the first wait, at most. Default: 200. */
  readonly firstMs?: number;
  /** Milliseconds of any wait, at most; a started watcher is found within this time. Default: 5,000. */
  readonly mostMs?: number;
  /** A number from 0 to below 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/** Milliseconds between half of the bound of this attempt and all of it. The first attempt is 0. */
export function waitMs(attempt: number, options: Backoff = {}): number {
  const { firstMs = 200, mostMs = 5_000, random = Math.random } = options;
  // 2^30 is beyond any bound.
  const bound = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 30));
  return Math.round((bound / 2) * (1 + random()));
}
