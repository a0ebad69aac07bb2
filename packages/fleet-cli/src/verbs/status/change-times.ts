/**
 * When each scope was last seen to be another. One that is free again after a hold looks as it did
 * before; what the watcher said before is of another state all the same.
 * What follows for who has acknowledged is `watcher-client/watched.ts`.
 */
import type { FleetFacts } from '../../fleet/read-fleet.ts';
import type { ProfileState } from '../../fleet/state.ts';
import { keysOf } from '../../watcher-client/account.ts';

export interface ChangeTimes {
  /** What was just read, at `nowMs`. false: it is what was seen the last time. */
  see(facts: FleetFacts, nowMs: number): boolean;
  /** Whether what binds this lane has come, or changed, since. */
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
