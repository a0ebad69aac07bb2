/**
 * Decides when to look again: after a notification, when a deadline passes, and at every sweep,
 * which bounds the delay of a lost notice [9].
 * What a look reads and what follows from it is the caller's.
 */

import { type ChooseOptions, chooseObserver, noticesOf, type ObserveMode } from './choose.ts';
import { isSentinelName, JOURNAL } from './fleet-folders.ts';
import type { Folder, LookScope, Observing } from './observer.ts';

/** What a look says about the next one. */
export interface LookResult {
  readonly folders: readonly Folder[];
  /** When the state next changes on its own, in milliseconds since the epoch; null: never. */
  readonly deadlineMs: number | null;
  /** Scopes whose sentinel somebody changed since the previous look. */
  readonly changed: readonly string[];
}

export interface SchedulerHealth {
  readonly mode: ObserveMode;
  /** What the mode means on this platform and these file systems. */
  readonly observing: Observing;
  readonly sweepMs: number;
  /** Time since the last full look, whatever caused it. */
  readonly sweepAgeMs: number;
  /** Folders without notices, with the errno: only the sweep sees their changes. */
  readonly deaf: ReadonlyMap<string, string>;
  /** Changes of this run that were found without a notice. */
  readonly unannounced: number;
}

export interface SchedulerOptions extends ChooseOptions {
  readonly mode: ObserveMode;
  /** Maximum delay of a change whose notice was lost. */
  readonly sweepMs: number;
  /** The journal may have grown. */
  readonly journal: () => void;
  /** Called after every sweep, with the folders whose change was found and never announced. */
  readonly swept?: (unannounced: readonly string[]) => void;
}

export interface Scheduler {
  health(): SchedulerHealth;
  /** Looks again soon, for a reason of the caller's. */
  lookAgain(lookScope: LookScope): void;
  /** Applies changed settings. */
  use(options: Pick<SchedulerOptions, 'mode' | 'sweepMs'>): void;
  close(): void;
}

/** After a full look, notifications cause no other full look for this many times its duration. */
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = 1_000;

/** Looks once before it returns, and then until it is closed. `look` must not throw. */
export function startScheduler(
  look: (lookScope: LookScope) => LookResult,
  options: SchedulerOptions,
): Scheduler {
  let { mode, sweepMs } = options;
  let closed = false;
  let lookAtAll = false;
  /** Monotonic, like the sweeps. A single notification rereads only its folder until then. */
  let pausedUntilMs = 0;
  const changedDirs = new Set<string>();
  let due: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;
  let deadlineMs: number | null = null;
  let folders: readonly Folder[] = [];
  // Monotonic milliseconds.
  let readAtMs = performance.now();
  // Other looks do not delay the sweep: constant notifications would otherwise prevent it.
  let sweptAtMs = readAtMs;
  let sweeping = false;
  /** The full look was caused by something other than a notification. */
  let ignorePause = false;
  let unannounced = 0;
  // Changed without a notification. The notice may still be on its way: it has one whole sweep to
  // arrive.
  let unannouncedOnce = new Set<string>();
  let unannouncedForASweep = new Set<string>();

  const notify = (dir: string, name: string | null) => {
    if (name === JOURNAL) {
      options.journal();
      return;
    }
    unannouncedOnce.delete(dir);
    unannouncedForASweep.delete(dir);
    if (isSentinelName(name)) changedDirs.add(dir);
    else lookAtAll = true;
    soon();
  };
  let observer = chooseObserver(mode, notify, options);

  /** Many notifications at once cause one look. */
  function soon(): void {
    if (!closed && due === undefined) due = setImmediate(lookNow);
  }

  function lookNow(): void {
    clearImmediate(due);
    due = undefined;
    if (closed) return;
    const notified = new Set(changedDirs);
    const startedAt = performance.now();
    const isAll = lookAtAll && (ignorePause || startedAt >= pausedUntilMs);
    if (!isAll && notified.size === 0) {
      schedule();
      return;
    }
    const lookScope = isAll ? 'all' : notified;
    if (isAll) lookAtAll = false;
    ignorePause = false;
    changedDirs.clear();
    observer.looking(lookScope);
    const result = look(lookScope);
    ({ deadlineMs } = result);
    if (lookScope === 'all') {
      ({ folders } = result);
      // INVARIANT 9: a new folder notifies when it is observed, so it is looked at once more.
      observer.watch(folders);
      readAtMs = performance.now();
      // Files created in a loop must not keep us rereading a thousand profiles all the time.
      pausedUntilMs = readAtMs + Math.min(MAX_PAUSE_MS, (readAtMs - startedAt) * PAUSE_FACTOR);
    }
    for (const dir of result.changed) if (!notified.has(dir)) unannouncedOnce.add(dir);
    if (sweeping) endSweep();
    sweeping = false;
    schedule();
  }

  function endSweep(): void {
    sweptAtMs = readAtMs;
    const missed = [...unannouncedForASweep];
    unannounced += missed.length;
    unannouncedForASweep = unannouncedOnce;
    unannouncedOnce = new Set();
    options.swept?.(missed);
  }

  function schedule(): void {
    clearTimeout(timer);
    if (closed) return;
    const toSweepMs = sweptAtMs + sweepMs - performance.now();
    // Never longer than the sweep, so it is safe beyond 2^31 ms and when the clock is set.
    const toDeadlineMs = deadlineMs === null ? toSweepMs : deadlineMs - Date.now() + 1;
    const toPauseEndMs = lookAtAll ? pausedUntilMs - performance.now() : toSweepMs;
    timer = setTimeout(
      () => {
        lookAtAll = true;
        sweeping = toSweepMs <= Math.min(toDeadlineMs, toPauseEndMs);
        ignorePause = true;
        lookNow();
      },
      Math.max(1, Math.min(toSweepMs, toDeadlineMs, toPauseEndMs)),
    );
  }

  lookAtAll = true;
  ignorePause = true;
  lookNow();
  return {
    health: () => ({
      mode,
      observing: { notices: noticesOf(mode), polled: observer.polled },
      sweepMs,
      sweepAgeMs: performance.now() - readAtMs,
      deaf: observer.deaf,
      unannounced,
    }),
    lookAgain(lookScope) {
      if (lookScope === 'all') lookAtAll = true;
      else for (const dir of lookScope) changedDirs.add(dir);
      soon();
    },
    use(next) {
      sweepMs = next.sweepMs;
      if (mode !== next.mode) {
        mode = next.mode;
        // Close first: chokidar shares watches by path.
        observer.close();
        observer = chooseObserver(mode, notify, options);
      }
      lookAtAll = true;
      // A new observer observes nothing before the next full look.
      ignorePause = true;
      soon();
    },
    close() {
      closed = true;
      clearTimeout(timer);
      clearImmediate(due);
      observer.close();
    },
  };
}
