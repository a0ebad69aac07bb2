/**
 * Looks again whenever something may have changed: on a ring, when a deadline passes, and at every
 * sweep in any case, so that no missed notice is missed for long [9].
 * What a look sees, and what follows from it, is the caller's.
 */

import { type ChooseOptions, chooseObserver, noticesOf, type ObserveMode } from './choose.ts';
import { isSentinelName, JOURNAL } from './fleet-folders.ts';
import type { Folder, LookScope, Observing } from './observer.ts';

/** What a look says about the next one. */
export interface LookResult {
  readonly folders: readonly Folder[];
  /** When something changes by itself, in milliseconds since the epoch; null: nothing does. */
  readonly deadlineMs: number | null;
  /** Scopes whose sentinel was changed by somebody since the look before. */
  readonly changed: readonly string[];
}

export interface SchedulerHealth {
  readonly mode: ObserveMode;
  /** What that mode comes to, on this platform and these file systems. */
  readonly observing: Observing;
  readonly sweepMs: number;
  /** Since everything was last read, whatever made us read it. */
  readonly sweepAgeMs: number;
  /** Folders without notices, with the errno: only the sweep sees them. */
  readonly deaf: ReadonlyMap<string, string>;
  /** Changes that were found and that no notice announced, in this run. */
  readonly unannounced: number;
}

export interface SchedulerOptions extends ChooseOptions {
  readonly mode: ObserveMode;
  /** Bounds how late a change can be seen whose notice was lost. */
  readonly sweepMs: number;
  /** The journal may have grown. */
  readonly journal: () => void;
  /** After every sweep: folders whose change was found, and never announced. */
  readonly swept?: (unannounced: readonly string[]) => void;
}

export interface Scheduler {
  health(): SchedulerHealth;
  /** Look again soon, for a reason of the caller's. */
  lookAgain(lookScope: LookScope): void;
  /** Settings have changed. */
  use(options: Pick<SchedulerOptions, 'mode' | 'sweepMs'>): void;
  close(): void;
}

/** After a look at everything, so many times as long passes before the next one that is rung for. */
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = 1_000;

/** Looks at once, before it returns, and then until it is closed. `look` must not throw. */
export function startScheduler(
  look: (lookScope: LookScope) => LookResult,
  options: SchedulerOptions,
): Scheduler {
  let { mode, sweepMs } = options;
  let closed = false;
  let lookAtAll = false;
  /** By the same clock as the sweeps: until then, a ring alone is no reason to look at everything. */
  let pausedUntilMs = 0;
  const changedDirs = new Set<string>();
  let due: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;
  let deadlineMs: number | null = null;
  let folders: readonly Folder[] = [];
  // By a clock that nobody sets.
  let readAtMs = performance.now();
  // Not put off by what is looked at for other reasons, or who keeps ringing would end all sweeps.
  let sweptAtMs = readAtMs;
  let sweeping = false;
  /** It is not a ring for which everything is looked at now. */
  let ignorePause = false;
  let unannounced = 0;
  // Changed without having rung. A notice may be on its way: it has a whole sweep to arrive.
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

  /** Many rings at once are one look. */
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
      // INVARIANT 9: a folder that is new rings when it is observed, and so is looked at once more.
      observer.watch(folders);
      readAtMs = performance.now();
      // Whoever makes files in a loop must not keep us looking at a thousand lanes all the time.
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
    // Never longer than the sweep: safe beyond 2^31 ms, and when the clock is set.
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
        // Closed first: chokidar's watches are shared by path.
        observer.close();
        observer = chooseObserver(mode, notify, options);
      }
      lookAtAll = true;
      // Until everything was looked at, a new observer observes nothing.
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
