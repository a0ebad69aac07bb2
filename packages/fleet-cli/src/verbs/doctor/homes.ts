/**
 * The folders in which gateways write records: the home of each profile, and the root, which may be served too.
 * The records are examined by `work.ts` and `receipts.ts`.
 */
import { realpathSync } from 'node:fs';
import type { ExaminedFleet } from './finding.ts';

/** Each folder once, because two profiles may share one by a link. */
export function homesOf({ root, listing }: ExaminedFleet): string[] {
  const homes = [root.root, ...listing.profiles.map(({ home }) => home)];
  const seen = new Set<string>();
  return homes.filter((home) => {
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
    // The examination that reads the folder reports the error.
    return home;
  }
}
