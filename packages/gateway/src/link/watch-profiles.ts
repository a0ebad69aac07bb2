/**
 * Follows the state of some profiles on disk, with or without a watcher.
 * The reaction to a change is the caller's.
 */
import {
  type Chain,
  type ChangeWatch,
  type DiskPort,
  type WatchTargets,
  watchForChanges,
} from '@fleet-estop/sentinel-core';
import {
  deadlineOf,
  isUnsettled,
  type ProfileState,
  readProfileStates,
  sameState,
} from './profile-state.ts';

/** Milliseconds until a scope with an operation under way is read again; doubled for each further read. */
const UNSETTLED_MS = 20;

export interface WatchProfilesOptions {
  readonly disk: DiskPort;
  readonly sweepMs: number;
  readonly keepAlive: boolean;
  readonly now: () => number;
  /** Called for a new or changed state. Must not throw. */
  readonly changed: (state: ProfileState) => void;
  /** Called after every read, with all states that were read. Must not throw. */
  readonly looked: (states: readonly ProfileState[]) => void;
}

export interface ProfileWatch {
  state(profile: string): ProfileState | undefined;
  /** Follows these chains from now on. Reads them before it returns. */
  use(chains: ReadonlyMap<string, Chain>): void;
  /** Reads some of the profiles now. */
  lookAt(profiles: readonly string[]): void;
  /** Folders without change notifications: only the sweep and pushes trigger a read there. */
  deaf(): ReadonlyMap<string, string>;
  close(): void;
}

export function watchProfiles(options: WatchProfilesOptions): ProfileWatch {
  const { disk, sweepMs, keepAlive, now, changed, looked } = options;
  const states = new Map<string, ProfileState>();
  let chains: ReadonlyMap<string, Chain> = new Map();
  let watch: ChangeWatch | undefined;
  let unsettledLooks = 0;
  let closed = false;

  const take = (read: readonly ProfileState[]): void => {
    if (closed) return;
    const wanted = chains;
    for (const state of read) {
      if (sameState(states.get(state.profile), state)) continue;
      states.set(state.profile, state);
      changed(state);
      // The callback has closed the watch, or replaced the chains: this read is outdated.
      if (closed || chains !== wanted) return;
    }
    looked(read);
  };

  const look = (): WatchTargets => {
    const read = readProfileStates(disk, chains.values());
    take(read);
    unsettledLooks = read.some(isUnsettled) ? unsettledLooks + 1 : 0;
    const soonMs = unsettledLooks === 0 ? null : UNSETTLED_MS * 2 ** Math.min(unsettledLooks, 20);
    const deadlineMs = deadlineOf(read, now());
    return {
      scopes: [...new Set(read.flatMap(({ scopes }) => scopes.map(({ scope }) => scope.dir)))],
      deadlineMs: soonMs === null ? deadlineMs : Math.min(deadlineMs ?? Infinity, now() + soonMs),
    };
  };

  return {
    state: (profile) => states.get(profile),
    use(next) {
      watch?.close();
      watch = undefined;
      chains = next;
      for (const profile of states.keys()) if (!next.has(profile)) states.delete(profile);
      const started = watchForChanges(look, { sweepMs, keepAlive, now });
      // A callback of the first read may have closed the watch or replaced the chains.
      if (closed || chains !== next) started.close();
      else watch = started;
    },
    lookAt(profiles) {
      take(
        readProfileStates(
          disk,
          profiles.flatMap((name) => chains.get(name) ?? []),
        ),
      );
    },
    deaf: () => watch?.deaf() ?? new Map(),
    close() {
      closed = true;
      watch?.close();
    },
  };
}
