/**
 * What follows from the lists of a fleet alone, worked out once for as long as they are the same
 * objects: most sweeps of a large fleet find nothing new.
 */
import type { FleetState } from './fleet-state.ts';

export type FleetLists = Pick<FleetState, 'root' | 'shared' | 'profiles'>;

/** `derive` must be pure: its answer is remembered. */
export function fromLists<T>(derive: (lists: FleetLists) => T): (lists: FleetLists) => T {
  const known = new WeakMap<FleetLists['profiles'], { shared: FleetLists['shared']; value: T }>();
  return (lists) => {
    const { shared, profiles } = lists;
    const last = known.get(profiles);
    if (last?.shared === shared) return last.value;
    const value = derive(lists);
    known.set(profiles, { shared, value });
    return value;
  };
}
