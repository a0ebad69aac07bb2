/**
 * The only mutable value of the watcher: the state, its event log and the gateways.
 * It is only replaced as a whole, by one writer at a time (the process is single-threaded), so a
 * reader never sees half a change.
 */

import { randomBytes } from 'node:crypto';
import type { EventType, GatewayView } from '@fleet-estop/protocol';
import { formatInstant } from '@fleet-estop/sentinel-core';
import type { Arrival } from './changes.ts';
import { type Change, changedProfiles, changesBetween, type Departure } from './changes.ts';
import { holdData, subjectOf } from './event-data.ts';
import { type EventLog, eventLog, type FleetEvent } from './event-log.ts';
import type { FleetState, ProfileState } from './fleet-state.ts';

export interface Snapshot {
  /** Identifies this run of the watcher. */
  readonly epoch: string;
  /** Number of the newest change. Not every number has an event: a hold may be gone before it is known why. */
  readonly revision: number;
  /** When the disk was last read, ISO 8601. */
  readonly looked_at: string;
  /** Gateways of an earlier watcher may still be connecting, so those that are missing are not known. */
  readonly starting: boolean;
  readonly fleet: FleetState;
  /** For each profile, the revision at which its state last changed. */
  readonly profileRevisions: ReadonlyMap<string, number>;
  readonly gateways: readonly GatewayView[];
}

/** Called after every change with the new events. Must not throw, and must not call the store. */
export type StateListener = (snapshot: Snapshot, events: readonly FleetEvent[]) => void;
/**
 * Called before the events are built: building a thousand of them takes as long as sending to a
 * hundred gateways.
 */
export type FirstListener = (snapshot: Snapshot) => void;

export interface Store {
  readonly log: EventLog;
  snapshot(): Snapshot;
  /** Applies a new look at the disk. Answers which holds are gone, new or expired. */
  look(fleet: FleetState): LookChanges;
  /** From now on, whoever is not connected is not about to connect after the start. */
  started(): void;
  setGateways(gateways: readonly GatewayView[]): void;
  record(type: EventType, subject: string, data: FleetEvent['data']): void;
  subscribe(listener: StateListener): () => void;
  subscribeFirst(listener: FirstListener): () => void;
}

export interface LookChanges {
  /** Gone for a reason not known yet. */
  readonly departed: readonly Departure[];
  /** New; the journal may say by whom. */
  readonly arrived: readonly Arrival[];
  /** Expired while other holds remain in the scope: such a hold is not retired with a file. */
  readonly expired: readonly Arrival[];
}

export interface StoreOptions {
  readonly now?: () => number;
  readonly epoch?: string;
  readonly logCapacity?: number;
}

export function createStore(first: FleetState, options: StoreOptions = {}): Store {
  const { now = Date.now, epoch = randomBytes(8).toString('hex'), logCapacity } = options;
  const log = eventLog(logCapacity);
  const listeners = new Set<StateListener>();
  const firstListeners = new Set<FirstListener>();
  let snapshot: Snapshot = {
    epoch,
    revision: 0,
    looked_at: formatInstant(now()),
    starting: true,
    fleet: first,
    profileRevisions: new Map(),
    gateways: [],
  };

  const publish = (next: Snapshot, happened: () => readonly FleetEvent[]) => {
    snapshot = next;
    for (const listener of firstListeners) listener(next);
    const events = happened();
    for (const event of events) log.append(event);
    for (const listener of listeners) listener(next, events);
  };

  const apply = (before: FleetState | null, fleet: FleetState) => {
    const at = now();
    const time = formatInstant(at);
    const gone: Departure[] = [];
    const explained: Exclude<Change, { type: 'hold.gone' }>[] = [];
    for (const change of changesBetween(before, fleet, at)) {
      if (change.type === 'hold.gone') gone.push({ scope: change.scope, hold: change.hold });
      else explained.push(change);
    }
    const first = snapshot.revision + 1;
    const events = () =>
      explained.map((change, nth) => ({ revision: first + nth, time, ...eventOf(change) }));
    const changed = changedProfiles(before, fleet);
    // A departure without an event yet is still a new state.
    const isUnexplained = changed.length > 0 && explained.length === 0;
    const revision = snapshot.revision + (isUnexplained ? 1 : explained.length);
    const profileRevisions =
      changed.length === 0 && before?.profiles === fleet.profiles
        ? snapshot.profileRevisions
        : revisionsOf(fleet, changed, revision);
    publish({ ...snapshot, revision, looked_at: time, fleet, profileRevisions }, events);
    const arrived = explained.filter((change) => change.type === 'hold.armed');
    const expired = explained.filter(
      (change) => change.type === 'hold.expired' && change.scope.engaged,
    ) as Extract<Change, { type: 'hold.expired' }>[];
    return { departed: gone, arrived, expired };
  };

  const revisionsOf = (fleet: FleetState, changed: readonly ProfileState[], revision: number) => {
    const revisions = new Map<string, number>();
    for (const { name } of fleet.profiles) {
      revisions.set(name, snapshot.profileRevisions.get(name) ?? revision);
    }
    for (const { name } of changed) revisions.set(name, revision);
    return revisions;
  };

  apply(null, first);
  return {
    log,
    snapshot: () => snapshot,
    look: (fleet) => apply(snapshot.fleet, fleet),
    started() {
      // A new number without an event: readers of the stream then read the state again.
      publish({ ...snapshot, revision: snapshot.revision + 1, starting: false }, () => []);
    },
    setGateways(gateways) {
      publish({ ...snapshot, gateways }, () => []);
    },
    record(type, subject, data) {
      const revision = snapshot.revision + 1;
      const event = { revision, type, time: formatInstant(now()), subject, data };
      publish({ ...snapshot, revision }, () => [event]);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    subscribeFirst(listener) {
      firstListeners.add(listener);
      return () => firstListeners.delete(listener);
    },
  };
}

function eventOf(change: Exclude<Change, { type: 'hold.gone' }>) {
  const { type } = change;
  if ('profile' in change) {
    const { name, engaged } = change.profile;
    return { type, subject: `profile/${name}`, data: { profile: name, engaged } };
  }
  const { scope, hold } = change;
  const replaced = 'replaced' in change ? { replaced: change.replaced.id } : {};
  return { type, subject: subjectOf(scope), data: { ...holdData(scope, hold), ...replaced } };
}
