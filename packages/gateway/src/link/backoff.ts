/**
 * How long to wait before the watcher is tried again: longer each time, up to a bound, and never
 * the same for all, or a thousand gateways would come back to a new watcher in one millisecond.
 */
export interface Backoff {
  /** The first wait is at most this long. Default: 200 ms. */
  readonly firstMs?: number;
  /** No wait is longer. A watcher that was started is found within it. Default: 5 s. */
  readonly mostMs?: number;
  /** 0 to 1, without 1. */
  readonly random?: () => number;
}

/** Between half and all of the bound of this attempt; the first is 0. */
export function waitMs(attempt: number, options: Backoff = {}): number {
  const { firstMs = 200, mostMs = 5_000, random = Math.random } = options;
  // 2^30 is beyond any bound.
  const bound = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 30));
  return Math.round((bound / 2) * (1 + random()));
}
