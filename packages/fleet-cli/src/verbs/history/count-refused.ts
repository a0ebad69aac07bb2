/**
 * Counts the work that holds refused, from the receipts in the homes of profiles.
 */

import { type Receipt, readReceipts } from '@fleet-estop/ledger';
import { DEFAULT_PROFILE, type Profile } from '@fleet-estop/sentinel-core';
import { distinctHomes } from '../../fleet/distinct-homes.ts';
import type { Session } from '../../fleet/session.ts';

export interface RefusedOptions {
  /** Milliseconds since the epoch; null: from the oldest receipt. */
  readonly sinceMs: number | null;
  /** null: every door. */
  readonly doors: readonly string[] | null;
  /** How many of the newest receipts are shown one by one. */
  readonly limit: number;
}

/** The refusals at one door of one profile. */
export interface Tally {
  readonly profile: string;
  readonly door: string;
  readonly refused: number;
  /** Missed work that was not made up for, because a lift said `--missed skip`. */
  readonly skipped: number;
  readonly first: Receipt;
  readonly last: Receipt;
}

export interface RefusedFacts {
  readonly session: Session;
  readonly options: RefusedOptions;
  /** By profile, then by door. */
  readonly tallies: readonly Tally[];
  /** Oldest first. */
  readonly newest: readonly Receipt[];
  /** How many lines are not valid receipts, by profile. */
  readonly corrupt: readonly { readonly profile: string; readonly count: number }[];
  readonly unreadable: readonly { readonly profile: string; readonly why: string }[];
  /** Profiles whose older receipts may have been removed to make room. */
  readonly pruned: readonly string[];
}

/** Reads one home after the other, and keeps only the receipts that are shown. */
export function readRefusals(session: Session, options: RefusedOptions): RefusedFacts {
  const { sinceMs, doors, limit } = options;
  const tallies = new Map<string, Tally>();
  const corrupt: { profile: string; count: number }[] = [];
  const unreadable: { profile: string; why: string }[] = [];
  const pruned: string[] = [];
  let newest: Receipt[] = [];
  for (const { name, home } of homesOf(session)) {
    const read = readReceipts(home, sinceMs === null ? {} : { sinceMs });
    const wanted = read.receipts.filter(({ door }) => doors?.includes(door) ?? true);
    for (const receipt of wanted) count(tallies, receipt);
    // Sorted by time: each home has its own file, and a clock may have been set back between two lines.
    newest = [...newest, ...wanted].sort((a, b) => a.atMs - b.atMs).slice(-limit);
    if (read.pruned) pruned.push(name);
    if (read.corrupt > 0) corrupt.push({ profile: name, count: read.corrupt });
    if (read.unreadable !== undefined) unreadable.push({ profile: name, why: read.unreadable });
  }
  const sorted = [...tallies].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => tally);
  return { session, options, tallies: sorted, newest, corrupt, unreadable, pruned };
}

function count(tallies: Map<string, Tally>, receipt: Receipt): void {
  const { profile, door, atMs } = receipt;
  const key = JSON.stringify([profile, door]);
  const none = { profile, door, refused: 0, skipped: 0, first: receipt, last: receipt };
  const known = tallies.get(key) ?? none;
  tallies.set(key, {
    ...known,
    refused: known.refused + (receipt.skipped ? 0 : 1),
    skipped: known.skipped + (receipt.skipped ? 1 : 0),
    first: atMs < known.first.atMs ? receipt : known.first,
    last: atMs >= known.last.atMs ? receipt : known.last,
  });
}

/** Each home once, because two profiles may share one by a link. */
function homesOf({ root, selection }: Session): readonly Profile[] {
  const { profiles, listing } = selection;
  // The root may be served by a gateway. If it is not, it has no receipts.
  const everyone = [
    { name: DEFAULT_PROFILE, home: root.root },
    ...listing.profiles.filter(({ name }) => name !== DEFAULT_PROFILE),
  ];
  return distinctHomes(profiles ?? everyone);
}
