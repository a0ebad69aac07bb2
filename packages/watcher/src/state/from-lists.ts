/**
 * Caches values derived from a fleet's lists for as long as the lists are the same objects: most
 * sweeps of a large fleet find nothing new.
 */

interface Lists {
  readonly shared: unknown;
  readonly profiles: unknown;
}

/**
 * `derive` must be pure, since its result is cached. Only the newest result is cached: an old state
 * would keep the texts of all its holds in memory.
 */
export function fromLists<L extends Lists, T>(derive: (lists: L) => T): (lists: L) => T {
  let known:
    | { readonly shared: unknown; readonly profiles: unknown; readonly value: T }
    | undefined;
  return (lists) => {
    const { shared, profiles } = lists;
    if (known === undefined || known.profiles !== profiles || known.shared !== shared) {
      known = { shared, profiles, value: derive(lists) };
    }
    return known.value;
  };
}
