/**
 * The folders in which gateways leave records: each lane's, and the root's, which may be served too.
 * What they leave there is `work.ts` and `receipts.ts`.
 */
import { realpathSync } from 'node:fs';
import type { ExaminedFleet } from './finding.ts';

/** Each once, though two lanes may share one by a link. */
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
    // Whoever looks into it will say what is wrong.
    return home;
  }
}
