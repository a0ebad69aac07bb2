/**
 * Removes homes that are the same folder as another one in the list: two profiles may share one by a link.
 */
import { realpathSync } from 'node:fs';

/** The first entry for each folder, in the given order. */
export function distinctHomes<T extends { readonly home: string }>(homes: readonly T[]): T[] {
  const seen = new Set<string>();
  return homes.filter(({ home }) => {
    const real = realPathOf(home);
    const isNew = !seen.has(real);
    seen.add(real);
    return isNew;
  });
}

function realPathOf(home: string): string {
  try {
    return realpathSync(home);
  } catch {
    // Whoever reads the folder reports the error.
    return home;
  }
}
