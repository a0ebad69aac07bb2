/**
 * Caches values derived from a fleet's lists for as long as the lists are the same objects: most
 * sweeps of a large fleet find nothing new.
 */
import type { FleetState } from './fleet-state.ts';

export type FleetLists = Pick<FleetState, 'root' | 'shared' | 'profiles'>;

/**
 * `derive` must be pure, since its result is cached. Only the newest result is cached: an old state
 * would keep the texts of all its holds in memory.
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
