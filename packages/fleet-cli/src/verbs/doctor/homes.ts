/**
 * The folders in which gateways write records: the home of each profile, and the root, which may be served too.
 * The records are examined by `work.ts` and `receipts.ts`.
 */
import { distinctHomes } from '../../fleet/distinct-homes.ts';
import type { ExaminedFleet } from './finding.ts';

/** Each folder once. */
export const homesOf = ({ root, listing }: ExaminedFleet): string[] =>
  distinctHomes([{ home: root.root }, ...listing.profiles]).map(({ home }) => home);
