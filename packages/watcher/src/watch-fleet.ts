/**
 * Looks at a fleet and acts on each look: updates the store, retires expired sentinels, and asks
 * the journal why a hold is gone.
 * When to look is decided in `observe/scheduler.ts`; the store notifies its listeners.
 */
import {
  type Actor,
  type DiskPort,
  formatInstant,
  identifyFolder,
  journalPath,
  type LookResult,
  type LookScope,
  nextDeadline,
  profileHome,
} from '@fleet-estop/sentinel-core';
import type { Log } from './log.ts';
import { clockSteps } from './observe/clock-steps.ts';
import { foldersOf } from './observe/fleet-folders.ts';
import { foreignChanges } from './observe/foreign-changes.ts';
import { journalGaps } from './observe/journal-gaps.ts';
import { journalTail } from './observe/journal-tail.ts';
import type { ProfileHome } from './observe/live-settings.ts';
import { retirement } from './observe/retirement.ts';
import {
  type SchedulerHealth,
  type SchedulerOptions,
  startScheduler,
} from './observe/scheduler.ts';
import { arrivalKey, arrivals } from './state/arrivals.ts';
import { changedScopes } from './state/changes.ts';
import { departures } from './state/departures.ts';
import { type FleetLists, type FleetState, scopesOf } from './state/fleet-state.ts';
import { fromLists } from './state/from-lists.ts';
import { readFleet, rereadScopes } from './state/read-fleet.ts';
import type { Store } from './state/store.ts';

/** A scope that somebody is writing may settle without another notice. */
const UNSETTLED_MS = 100;
/** A lift writes its journal line a few milliseconds after the hold is gone. */
const GRACE_MS = 500;

export interface FleetWatchOptions
  extends Pick<SchedulerOptions, 'mode' | 'sweepMs' | 'intervalMs' | 'findSilentFileSystem'> {
  readonly disk: DiskPort;
  readonly store: Store;
  readonly log: Log;
  readonly actor: Actor;
  /** How long to wait for a lift's line in the journal. */
  readonly graceMs?: number;
  /** After every full look. */
  readonly refreshSettings: (homes: readonly ProfileHome[]) => void;
  /** After every sweep. */
  readonly swept: () => void;
}

export interface FleetWatch {
  health(): SchedulerHealth & { readonly journalUnreadable: string | null };
  lookAgain(lookScope: LookScope): void;
  use(options: Pick<SchedulerOptions, 'mode' | 'sweepMs'>): void;
  close(): void;
}

export function watchFleet(options: FleetWatchOptions): FleetWatch {
  const { disk, store, log, actor } = options;
  const { root } = store.snapshot().fleet;
  const tail = journalTail(journalPath(root));
  const graceOptions = options.graceMs === undefined ? {} : { graceMs: options.graceMs };
  const departing = departures(graceOptions);
  const gapsNow = () => {
    const { fleet } = store.snapshot();
    return journalGaps(fleet, scopesOf(fleet), Date.now());
  };
  const { unended, unbegun } = gapsNow();
  const isUnbegun = new Set(unbegun.map(arrivalKey));
  const first = scopesOf(store.snapshot().fleet).flatMap((scope) =>
    scope.holds.map((hold) => ({ scope, hold })),
  );
  const journaled = first.filter((arrival) => !isUnbegun.has(arrivalKey(arrival)));
  const arriving = arrivals(journaled, graceOptions);
  arriving.add(unbegun, Date.now());
  const recordForeign = foreignChanges(root, actor, log);
  const stepOfClock = clockSteps(disk);
  let grace: NodeJS.Timeout | undefined;

  const retiring = retirement(disk, root, actor, {
    retired({ dir }, holds, journal) {
      log.info({ dir, holds }, 'retired an expired sentinel');
      if (journal !== null)
        log.warn({ dir, why: journal }, 'the journal line could not be written');
    },
    stuck({ dir }, why) {
      log.warn(
        { dir, why },
        'an expired sentinel cannot be removed: readers that ignore deadlines stay held',
      );
    },
    look: (dir) => scheduler.lookAgain(new Set([dir])),
  });

  const look = (lookScope: LookScope): LookResult => {
    const before = store.snapshot().fleet;
    const fleet =
      lookScope === 'all'
        ? readFleet(disk, root, before, { servedFromRoot: isRootServed(store) })
        : rereadScopes(disk, before, lookScope);
    if (lookScope === 'all') logAvailability(fleet);
    const { departed, arrived, expired } = store.look(fleet);
    if (expired.length > 0) recordForeign('expire', expired);
    departing.add(departed, Date.now());
    arriving.add(arrived, Date.now());
    if (departing.pending > 0 || arriving.dueMs() !== null) explain();
    retiring.update(expiredIn(fleet));
    if (lookScope === 'all') options.refreshSettings(homesOf(fleet));
    settleSoon(unsettledIn(fleet));
    const changed = changedScopes(before, fleet).filter(({ expired }) => !expired);
    return {
      folders: foldersIn(fleet),
      deadlineMs: nextDeadline(deadlinesIn(fleet), Date.now()),
      changed: changed.map(({ dir }) => dir),
    };
  };

  let settling: NodeJS.Timeout | undefined;
  let unsettled: readonly string[] = [];
  const settleSoon = (dirs: readonly string[]) => {
    unsettled = dirs;
    if (dirs.length === 0) return;
    // Looks at other scopes do not postpone this one.
    settling ??= setTimeout(() => {
      settling = undefined;
      if (unsettled.length > 0) scheduler.lookAgain(new Set(unsettled));
    }, UNSETTLED_MS);
  };

  let loggedUnreadable: string | null = null;
  let folder = identifyFolder(root);
  const logAvailability = ({ unreadable }: FleetState) => {
    const found = identifyFolder(root);
    const isOther =
      found.state === 'present' && folder.state === 'present' && found.id !== folder.id;
    if (isOther) {
      log.warn(
        { root },
        'the root is a different folder than before: moved, mounted over or unmounted',
      );
    }
    if (found.state === 'present') folder = found;
    if (unreadable === loggedUnreadable) return;
    loggedUnreadable = unreadable;
    const fields = { root, why: unreadable };
    if (unreadable === null) log.info({ root }, 'the fleet can be read again');
    else log.error(fields, 'the fleet cannot be read: unknown state counts as held');
  };

  /** Records why holds are gone or new, as far as the journal explains it by now. */
  const explain = () => {
    clearTimeout(grace);
    const lines = tail.read();
    departing.addJournalLines(lines);
    arriving.addJournalLines(lines);
    const { fleet } = store.snapshot();
    const standing = (dir: string, id: string) =>
      scopesOf(fleet).some((scope) => scope.dir === dir && scope.holds.some((h) => h.id === id));
    const verdicts = departing.settle(Date.now(), standing, tail.unreadable);
    for (const { type, subject, data } of verdicts) store.record(type, subject, data);
    const unexplained = arriving.settle(Date.now());
    // Without the journal, changes by our own commands would look foreign.
    if (tail.unreadable === null) {
      const cleared = verdicts.filter(({ type }) => type === 'hold.cleared-externally');
      recordForeign('foreign-arm', unexplained);
      recordForeign(
        'foreign-lift',
        cleared.map(({ departure }) => departure),
      );
    }
    const due = [departing.dueMs(), arriving.dueMs()].filter((at) => at !== null);
    const dueMs = due.length === 0 ? null : Math.min(...due);
    if (dueMs !== null) grace = setTimeout(explain, Math.max(1, dueMs - Date.now() + 1));
  };

  const swept = (unannounced: readonly string[]) => {
    if (unannounced.length > 0) {
      const some = unannounced.slice(0, 8);
      log.warn(
        { folders: unannounced.length, some },
        'the sweep found changes that no notice announced',
      );
    }
    logUnwatched();
    logClockStep();
    retiring.retry();
    options.swept();
  };

  /** Reads everything again: deadlines that were set in this boot do not follow the clock. */
  const logClockStep = () => {
    const step = stepOfClock();
    if (step === null) return;
    const [from, to] = [formatInstant(step.fromMs), formatInstant(step.toMs)];
    const by_ms = step.toMs - step.fromMs;
    log.warn({ from, to, by_ms }, 'the clock of this host was set');
    store.record('clock.stepped', 'clock', { from, to, by_ms });
    scheduler.lookAgain('all');
  };

  let loggedUnwatched = '';
  const logUnwatched = () => {
    const { deaf } = scheduler.health();
    const why = [...new Set(deaf.values())].sort();
    const text = deaf.size === 0 ? '' : `${deaf.size} ${why}`;
    if (text === loggedUnwatched) return;
    loggedUnwatched = text;
    const fields = { folders: deaf.size, why, some: [...deaf.keys()].slice(0, 8) };
    if (text === '') log.info(fields, 'all folders are observed again');
    else log.warn(fields, 'folders cannot be observed: only the sweep sees their changes');
  };

  /**
   * Records holds that ended while no watcher ran, after a lift in progress has written its line.
   */
  const catchUp = setTimeout(() => {
    if (unended.length === 0) return;
    const ids = new Set(unended.map(({ hold }) => hold.id));
    for (const { event, scope, hold } of gapsNow().unended) {
      if (ids.has(hold.id)) recordForeign(event, [{ scope, hold }]);
    }
  }, options.graceMs ?? GRACE_MS);

  const scheduler = startScheduler(look, { ...options, journal: explain, swept });
  logUnwatched();
  return {
    health: () => ({ ...scheduler.health(), journalUnreadable: tail.unreadable }),
    lookAgain: scheduler.lookAgain,
    use: scheduler.use,
    close() {
      scheduler.close();
      retiring.close();
      clearTimeout(grace);
      clearTimeout(catchUp);
      clearTimeout(settling);
      tail.close();
    },
  };
}

/** The profile `default` exists as soon as a gateway says that it serves it. */
const isRootServed = (store: Store): boolean =>
  store
    .snapshot()
    .gateways.some(
      ({ link, profiles }) => link !== 'gone' && profiles.some(({ name }) => name === 'default'),
    );

const foldersIn = fromLists(foldersOf);

const homesOf = fromLists(({ root, profiles }: FleetLists): readonly ProfileHome[] =>
  profiles.map(({ name, own }) => ({
    name,
    home: own === null ? root : profileHome(root, name),
  })),
);

const expiredIn = fromLists((lists: FleetLists) =>
  scopesOf(lists).filter(({ expired }) => expired),
);

const deadlinesIn = fromLists((lists: FleetLists) =>
  scopesOf(lists).flatMap(({ holds }) => holds.map((hold) => hold.expires_at_ms)),
);

const unsettledIn = fromLists((lists: FleetLists) =>
  scopesOf(lists).flatMap(({ dir, unreadable }) => (unreadable === 'unsettled' ? [dir] : [])),
);
