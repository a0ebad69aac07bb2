/**
 * Looks again whenever something may have changed: after a notification, when a deadline passes,
 * and at the latest after the sweep interval, which bounds the delay of a lost notification [9].
 * The caller decides what a look reads and what follows from it; `notifier.ts` sends the
 * notifications.
 */
import { changeNotifier, type Watched } from './notifier.ts';

/** Result of a look: which folders to watch, and when to look next. */
export interface Outlook extends Watched {
  /**
   * When something changes by itself (a deadline), in milliseconds since the epoch; null: never.
   */
  readonly deadlineMs: number | null;
}

/** Options of `follow`. */
export interface FollowOptions {
  /**
   * Milliseconds between looks without a notification. It bounds the delay of a change whose
   * notification was lost. Default: 5,000.
   */
  readonly sweepMs?: number;
  readonly now?: () => number;
  /** Keep the process alive while following. Default: true. */
  readonly keepAlive?: boolean;
}

/** A running `follow`. */
export interface Following {
  /** Folders that cannot be watched, with the errno. Only the sweep sees changes there. */
  deaf(): ReadonlyMap<string, string>;
  close(): void;
}

/**
 * Calls `look` at once, before it returns, and then whenever something may have changed, until it
 * is closed [9]. Every folder is watched before the look that counts. Many notifications at once
 * cause one look. `look` must not throw. A folder that cannot be watched is no error: see `deaf`.
 */
export function follow(look: () => Outlook, options: FollowOptions = {}): Following {
  const { sweepMs = 5_000, now = Date.now, keepAlive = true } = options;
  const notifier = changeNotifier(lookSoon);
  let timer: NodeJS.Timeout | undefined;
  let pending: NodeJS.Immediate | undefined;
  let closed = false;

  const lookNow = (): void => {
    clearTimeout(timer);
    clearImmediate(pending);
    pending = undefined;
    let outlook = look();
    // INVARIANT 9: watch a new folder first, and then look once more.
    while (!closed && notifier.watch(outlook)) outlook = look();
    if (closed) return;
    // Waits at most the sweep interval, so timers are safe beyond 2^31 ms and when the clock is
    // set.
    const { deadlineMs } = outlook;
    const waitMs = deadlineMs === null ? sweepMs : Math.min(sweepMs, deadlineMs - now() + 1);
    timer = setTimeout(sweep, Math.max(1, waitMs));
    if (!keepAlive) timer.unref();
  };

  /** A watch on a folder that was mounted over or relinked reports nothing, so check every path. */
  const sweep = (): void => {
    notifier.doubt();
    lookNow();
  };

  /** Combines many notifications into one look. */
  function lookSoon(): void {
    if (closed || pending !== undefined) return;
    pending = setImmediate(lookNow);
  }

  lookNow();
  return {
    deaf: () => notifier.deaf,
    close() {
      closed = true;
      clearTimeout(timer);
      clearImmediate(pending);
      notifier.close();
    },
  };
}

/**
 * The first of `deadlines` after `nowMs`, both in milliseconds since the epoch; null: none. Pure.
 */
export function nextDeadline(deadlines: readonly (number | null)[], nowMs: number): number | null {
  let next: number | null = null;
  for (const at of deadlines) {
    if (at !== null && at > nowMs && (next === null || at < next)) next = at;
  }
  return next;
}
