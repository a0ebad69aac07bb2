/**
 * Decides when to look again: after a notification, when a deadline passes, and at every sweep,
 * which bounds the delay of a lost notice [9].
 * The caller decides what a look reads and what follows from it; `observer.ts` describes what
 * sends the notifications.
 */
import { SENTINEL, TENURE } from '../disk/names.ts';
import type { ChangeNotifier, LookScope, Notify, WatchedFolder } from './observer.ts';

/** What a look says about the next one. */
export interface LookResult {
  /** The folders to watch. Only those of a full look count. */
  readonly folders: readonly WatchedFolder[];
  /** When the state next changes on its own, in milliseconds since the epoch; null: never. */
  readonly deadlineMs: number | null;
  /** Scopes whose sentinel somebody changed since the previous look. */
  readonly changed: readonly string[];
}

export interface SchedulerHealth {
  readonly sweepMs: number;
  /** Time since the last full look, whatever caused it. */
  readonly sweepAgeMs: number;
  /** Folders without notices, with the errno: only the sweep sees their changes. */
  readonly deaf: ReadonlyMap<string, string>;
  /** Number of polled folders. */
  readonly polled: number;
  /** Changes of this run that were found without a notice. */
  readonly unannounced: number;
}

export interface SchedulerOptions {
  readonly notifier: (notify: Notify) => ChangeNotifier;
  /** Maximum delay of a change whose notice was lost. */
  readonly sweepMs: number;
  /** Called after every sweep, with the folders whose change was found and never announced. */
  readonly swept?: (unannounced: readonly string[]) => void;
  readonly now?: () => number;
  /** Keep the process alive. Default: true. */
  readonly keepAlive?: boolean;
}

export interface Scheduler {
  health(): SchedulerHealth;
  /** Looks again soon, for a reason of the caller's. */
  lookAgain(lookScope: LookScope): void;
  /** Applies changed settings. */
  use(options: Partial<Pick<SchedulerOptions, 'notifier' | 'sweepMs'>>): void;
  close(): void;
}

/** Changes of these entries are about the folder in which they are; of others, about everything. */
const OF_THE_FOLDER: readonly string[] = [SENTINEL, TENURE];

/** After a full look, notifications cause no other full look for this many times its duration. */
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = 1_000;

/** Looks once before it returns, and then until it is closed. `look` must not throw. */
export function startScheduler(
  look: (lookScope: LookScope) => LookResult,
  options: SchedulerOptions,
): Scheduler {
  const { now = Date.now, keepAlive = true } = options;
  let { sweepMs } = options;
  let closed = false;
  let lookAtAll = true;
  /** Monotonic, like the sweeps. A single notification rereads only its folder until then. */
  let pausedUntilMs = 0;
  const changedDirs = new Set<string>();
  let due: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;
  let deadlineMs: number | null = null;
  // Monotonic milliseconds.
  let readAtMs = performance.now();
  // Other looks do not delay the sweep: constant notifications would otherwise prevent it.
  let sweptAtMs = readAtMs;
  let sweeping = false;
  /** The full look was caused by something other than a notification. */
  let ignorePause = true;
  let unannounced = 0;
  // Changed without a notification. The notice may still be on its way: it has one whole sweep to
  // arrive.
  let unannouncedOnce = new Set<string>();
  let unannouncedForASweep = new Set<string>();

  const notify = (dir: string, name: string | null): void => {
    unannouncedOnce.delete(dir);
    unannouncedForASweep.delete(dir);
    if (name !== null && OF_THE_FOLDER.includes(name)) changedDirs.add(dir);
    else lookAtAll = true;
    soon();
  };
  let notifier = options.notifier(notify);

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
    if (isAll) lookAtAll = false;
    ignorePause = false;
    changedDirs.clear();
    const lookScope = isAll ? 'all' : notified;
    notifier.looking(lookScope);
    const result = look(lookScope);
    if (closed) return;
    ({ deadlineMs } = result);
    if (isAll) {
      // INVARIANT 9: a new folder notifies when it is observed, so it is looked at once more.
      notifier.watch(result.folders);
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
    const toDeadlineMs = deadlineMs === null ? toSweepMs : deadlineMs - now() + 1;
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
    if (!keepAlive) timer.unref();
  }

  lookNow();
  return {
    health: () => ({
      sweepMs,
      sweepAgeMs: performance.now() - readAtMs,
      deaf: notifier.deaf,
      polled: notifier.polled,
      unannounced,
    }),
    lookAgain(lookScope) {
      if (lookScope === 'all') lookAtAll = true;
      else for (const dir of lookScope) changedDirs.add(dir);
      soon();
    },
    use(next) {
      sweepMs = next.sweepMs ?? sweepMs;
      if (next.notifier !== undefined) {
        // Close first: chokidar shares watches by path.
        notifier.close();
        notifier = next.notifier(notify);
      }
      lookAtAll = true;
      // A new notifier observes nothing before the next full look.
      ignorePause = true;
      soon();
    },
    close() {
      closed = true;
      clearTimeout(timer);
      clearImmediate(due);
      notifier.close();
    },
  };
}
