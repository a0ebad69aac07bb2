/**
 * Looks again whenever the scopes of a few profiles may have changed, and rereads all of them at
 * each look.
 * When to look is decided in `scheduler.ts`; what a look reads and what follows from it is the
 * caller's.
 */
import { SENTINEL, TENURE } from '../disk/names.ts';
import { notifyByNotices } from './notices.ts';
import type { LookScope, WatchedFolder } from './observer.ts';
import { openPlainly } from './plain-folder.ts';
import {
  type LookResult,
  type Scheduler,
  type SchedulerOptions,
  startScheduler,
} from './scheduler.ts';

/** What to watch, and when to look next. */
export interface WatchTargets {
  /** Folders whose `ESTOP` matters. An absent folder causes a look when it appears. */
  readonly scopes: readonly string[];
  /** Folders whose entries matter, since new profiles appear there. */
  readonly shapes?: readonly string[];
  /**
   * When something changes by itself (a deadline), in milliseconds since the epoch; null: never.
   */
  readonly deadlineMs: number | null;
}

/** A running watch. */
export interface ChangeWatch {
  /** Folders that cannot be watched, with the errno. Only the sweep sees changes there. */
  deaf(): ReadonlyMap<string, string>;
  close(): void;
}

/** Options of `watchForChanges`. `sweepMs`: default 5,000. */
export type ChangeWatchOptions = Partial<Pick<SchedulerOptions, 'sweepMs' | 'now' | 'keepAlive'>>;

/**
 * Calls `look` at once, before it returns, and then whenever something may have changed, until it
 * is closed [9]. After a folder is first watched, there is one more look. Many notifications at
 * once cause one look. `look` must not throw. A folder that cannot be watched is no error: see
 * `deaf`.
 */
export function watchForChanges(
  look: () => WatchTargets,
  options: ChangeWatchOptions = {},
): ChangeWatch {
  let folders: readonly WatchedFolder[] = [];
  const lookOnce = (lookScope: LookScope): LookResult => {
    const targets = look();
    const known = folders;
    folders = foldersOf(targets);
    // Only after a full look are other folders watched.
    if (lookScope !== 'all' && !isSame(known, folders)) scheduler.lookAgain('all');
    return { folders, deadlineMs: targets.deadlineMs, changed: [] };
  };
  const scheduler: Scheduler = startScheduler(lookOnce, {
    sweepMs: 5_000,
    ...options,
    notifier: (notify) => notifyByNotices(openPlainly, notify),
  });
  return { deaf: () => scheduler.health().deaf, close: scheduler.close };
}

const NAMES = [SENTINEL, TENURE];

function foldersOf({ scopes, shapes = [] }: WatchTargets): WatchedFolder[] {
  const awaited = true;
  const seen = new Set(shapes);
  return [
    ...shapes.map((dir): WatchedFolder => ({ dir, kind: 'shape', names: null, awaited })),
    ...scopes
      .filter((dir) => !seen.has(dir))
      .map((dir): WatchedFolder => ({ dir, kind: 'scope', names: NAMES, awaited })),
  ];
}

const isSame = (some: readonly WatchedFolder[], others: readonly WatchedFolder[]): boolean =>
  some.length === others.length &&
  some.every(({ dir, kind }, at) => others[at]?.dir === dir && others[at]?.kind === kind);

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
