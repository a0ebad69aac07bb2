/**
 * Looks again whenever something may have changed: on a notice, when a deadline passes, and after a
 * while in any case, so that no missed notice is missed for long [9].
 * What a look sees, and what follows from it, is the caller's.
 */
import { doorbell, type Watched } from './notifier.ts';

/** What a look says about the next one. */
export interface Outlook extends Watched {
  /** When something changes by itself, in milliseconds since the epoch; null: nothing does. */
  readonly deadlineMs: number | null;
}

export interface FollowOptions {
  /** Bounds how late a change can be seen whose notice was lost. Default: 5 s. */
  readonly sweepMs?: number;
  readonly now?: () => number;
  /** Keep the process alive while following. Default: yes. */
  readonly keepAlive?: boolean;
}

export interface Following {
  /** Folders without notices: only the sweep sees what happens there. */
  deaf(): ReadonlyMap<string, string>;
  close(): void;
}

/** Calls `look` at once (before it returns), and then until it is closed. `look` must not throw. */
export function follow(look: () => Outlook, options: FollowOptions = {}): Following {
  const { sweepMs = 5_000, now = Date.now, keepAlive = true } = options;
  const bell = doorbell(soon);
  let timer: NodeJS.Timeout | undefined;
  let due: NodeJS.Immediate | undefined;
  let closed = false;

  const lookNow = (): void => {
    clearTimeout(timer);
    clearImmediate(due);
    due = undefined;
    let outlook = look();
    // INVARIANT 9: a folder that is new to us is watched first, and then looked at once more.
    while (!closed && bell.watch(outlook)) outlook = look();
    if (closed) return;
    // Never longer than the sweep, so timers are safe beyond 2^31 ms and when the clock is set.
    const { deadlineMs } = outlook;
    const waitMs = deadlineMs === null ? sweepMs : Math.min(sweepMs, deadlineMs - now() + 1);
    timer = setTimeout(lookUnasked, Math.max(1, waitMs));
    if (!keepAlive) timer.unref();
  };

  /** A folder that was mounted over or turned elsewhere says nothing. */
  const lookUnasked = (): void => {
    bell.doubt();
    lookNow();
  };

  /** Many notices at once are one look. */
  function soon(): void {
    if (closed || due !== undefined) return;
    due = setImmediate(lookNow);
  }

  lookNow();
  return {
    deaf: () => bell.deaf,
    close() {
      closed = true;
      clearTimeout(timer);
      clearImmediate(due);
      bell.close();
    },
  };
}

/** The first deadline that is still to come; null: none. */
export function nextDeadline(deadlines: readonly (number | null)[], nowMs: number): number | null {
  let next: number | null = null;
  for (const at of deadlines) {
    if (at !== null && at > nowMs && (next === null || at < next)) next = at;
  }
  return next;
}
