/**
 * Remembers when each scope was last seen to change. A scope that is free again after a hold looks the same as
 * before, but an answer of the watcher from before the hold is about an older state.
 * Using this for acknowledgements is `watcher-client/watched.ts`.
 */
import type { FleetFacts } from '../../fleet/read-fleet.ts';
import type { ProfileState } from '../../fleet/state.ts';
import { keysOf } from '../../watcher-client/account.ts';

export interface ChangeTimes {
  /** Takes a state that was read at `nowMs`. false: it is the same as the last one. */
  see(facts: FleetFacts, nowMs: number): boolean;
  /** Whether a scope of this profile appeared or changed since. */
  isSince(profileState: ProfileState, ms: number): boolean;
}

interface KnownScope {
  readonly keys: string;
  readonly sinceMs: number;
}

export function changeTimes(): ChangeTimes {
  /** By folder. */
  let seen: ReadonlyMap<string, KnownScope> = new Map();
  return {
    see({ root, profileStates }, nowMs) {
      const now = new Map<string, KnownScope>();
      let isNew = false;
      for (const state of new Set([root, ...profileStates].flatMap(({ states }) => states))) {
        const { dir } = state.scope;
        const keys = JSON.stringify(keysOf(state));
        const known = seen.get(dir);
        const isKnown = known?.keys === keys;
        isNew ||= !isKnown;
        now.set(dir, isKnown ? known : { keys, sinceMs: nowMs });
      }
      isNew ||= now.size !== seen.size;
      seen = now;
      return isNew;
    },
    isSince: ({ states }, ms) =>
      states.some(({ scope }) => (seen.get(scope.dir)?.sinceMs ?? Infinity) > ms),
  };
}
