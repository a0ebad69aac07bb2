/**
 * What follows from the lists of a fleet alone, worked out once for as long as they are the same
 * objects: most sweeps of a large fleet find nothing new.
 */
import type { FleetState } from './fleet-state.ts';

export type FleetLists = Pick<FleetState, 'root' | 'shared' | 'profiles'>;

/**
 * `derive` must be pure: its answer is remembered. Of the newest look alone: a state that is kept for
 * longer than it stands takes with it the texts of all its holds.
 */
export function fromLists<T>(derive: (lists: FleetLists) => T): (lists: FleetLists) => T {
  let known: (Pick<FleetLists, 'shared' | 'profiles'> & { readonly value: T }) | undefined;
  return (lists) => {
    const { shared, profiles } = lists;
    if (known?.profiles !== profiles || known.shared !== shared) {
      known = { shared, profiles, value: derive(lists) };
    }
    return known.value;
  };
}
