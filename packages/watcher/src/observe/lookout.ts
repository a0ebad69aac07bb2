/**
 * Looks again whenever something may have changed: on a ring, when a deadline passes, and at every
 * sweep in any case, so that no missed notice is missed for long [9].
 * What a look sees, and what follows from it, is the caller's.
 */

import { type ChooseOptions, chooseObserver, noticesOf, type ObserveMode } from './choose.ts';
import { isSentinelName, JOURNAL } from './fleet-folders.ts';
import type { Folder, Glance, Observing } from './observer.ts';

/** What a look says about the next one. */
export interface Outlook {
  readonly folders: readonly Folder[];
  /** When something changes by itself, in milliseconds since the epoch; null: nothing does. */
  readonly deadlineMs: number | null;
  /** Scopes whose sentinel was changed by somebody since the look before. */
  readonly changed: readonly string[];
}

export interface LookoutHealth {
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

export interface LookoutOptions extends ChooseOptions {
  readonly mode: ObserveMode;
  /** Bounds how late a change can be seen whose notice was lost. */
  readonly sweepMs: number;
  /** The journal may have grown. */
  readonly journal: () => void;
  /** After every sweep: folders whose change was found, and never announced. */
  readonly swept?: (unannounced: readonly string[]) => void;
}

export interface Lookout {
  health(): LookoutHealth;
  /** Look again soon, for a reason of the caller's. */
  lookAgain(glance: Glance): void;
  /** Settings have changed. */
  use(options: Pick<LookoutOptions, 'mode' | 'sweepMs'>): void;
  close(): void;
}

/** After a look at everything, so many times as long passes before the next one that is rung for. */
const REST = 3;
const MOST_REST_MS = 1_000;

/** Looks at once, before it returns, and then until it is closed. `look` must not throw. */
export function keepLookout(look: (glance: Glance) => Outlook, options: LookoutOptions): Lookout {
  let { mode, sweepMs } = options;
  let closed = false;
  let everything = false;
  /** By the same clock as the sweeps: until then, a ring alone is no reason to look at everything. */
  let restUntil = 0;
  const scopes = new Set<string>();
  let due: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;
  let deadlineMs: number | null = null;
  let folders: readonly Folder[] = [];
  // By a clock that nobody sets.
  let readAt = performance.now();
  // Not put off by what is looked at for other reasons, or who keeps ringing would end all sweeps.
  let sweptAt = readAt;
  let sweeping = false;
  /** It is not a ring for which everything is looked at now. */
  let isTime = false;
  let unannounced = 0;
  // Changed without having rung. A notice may be on its way: it has a whole sweep to arrive.
  let late = new Set<string>();
  let overdue = new Set<string>();

  const ring = (dir: string, name: string | null) => {
    if (name === JOURNAL) {
      options.journal();
      return;
    }
    late.delete(dir);
    overdue.delete(dir);
    if (isSentinelName(name)) scopes.add(dir);
    else everything = true;
    soon();
  };
  let observer = chooseObserver(mode, ring, options);

  /** Many rings at once are one look. */
  function soon(): void {
    if (!closed && due === undefined) due = setImmediate(lookNow);
  }

  function lookNow(): void {
    clearImmediate(due);
    due = undefined;
    if (closed) return;
    const rung = new Set(scopes);
    const startedAt = performance.now();
    const isAll = everything && (isTime || startedAt >= restUntil);
    if (!isAll && rung.size === 0) {
      schedule();
      return;
    }
    const glance = isAll ? 'all' : rung;
    if (isAll) everything = false;
    isTime = false;
    scopes.clear();
    observer.looking(glance);
    const outlook = look(glance);
    ({ deadlineMs } = outlook);
    if (glance === 'all') {
      ({ folders } = outlook);
      // INVARIANT 9: a folder that is new rings when it is observed, and so is looked at once more.
      observer.watch(folders);
      readAt = performance.now();
      // Whoever makes files in a loop must not keep us looking at a thousand lanes all the time.
      restUntil = readAt + Math.min(MOST_REST_MS, (readAt - startedAt) * REST);
    }
    for (const dir of outlook.changed) if (!rung.has(dir)) late.add(dir);
    if (sweeping) endSweep();
    sweeping = false;
    schedule();
  }

  function endSweep(): void {
    sweptAt = readAt;
    const missed = [...overdue];
    unannounced += missed.length;
    overdue = late;
    late = new Set();
    options.swept?.(missed);
  }

  function schedule(): void {
    clearTimeout(timer);
    if (closed) return;
    const toSweep = sweptAt + sweepMs - performance.now();
    // Never longer than the sweep: safe beyond 2^31 ms, and when the clock is set.
    const toDeadline = deadlineMs === null ? toSweep : deadlineMs - Date.now() + 1;
    const toRested = everything ? restUntil - performance.now() : toSweep;
    timer = setTimeout(
      () => {
        everything = true;
        sweeping = toSweep <= Math.min(toDeadline, toRested);
        isTime = true;
        lookNow();
      },
      Math.max(1, Math.min(toSweep, toDeadline, toRested)),
    );
  }

  everything = true;
  isTime = true;
  lookNow();
  return {
    health: () => ({
      mode,
      observing: { notices: noticesOf(mode), polled: observer.polled },
      sweepMs,
      sweepAgeMs: performance.now() - readAt,
      deaf: observer.deaf,
      unannounced,
    }),
    lookAgain(glance) {
      if (glance === 'all') everything = true;
      else for (const dir of glance) scopes.add(dir);
      soon();
    },
    use(next) {
      sweepMs = next.sweepMs;
      if (mode !== next.mode) {
        mode = next.mode;
        // Closed first: chokidar's watches are shared by path.
        observer.close();
        observer = chooseObserver(mode, ring, options);
      }
      everything = true;
      // Until everything was looked at, a new observer observes nothing.
      isTime = true;
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
