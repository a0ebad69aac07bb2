/**
 * A finding of an examination: how bad it is, what, where, and what to do.
 * Texts come unescaped from disk; `text.ts` escapes them.
 */
import type { DiskPort, ProfileListing, RootChoice, Scope } from '@fleet-estop/sentinel-core';

/** `problem`: something does not work as it should. `warning`: it may become a problem. */
export type Level = 'ok' | 'note' | 'warning' | 'problem';

export type Check =
  | 'root'
  | 'access'
  | 'file-system'
  | 'lanes'
  | 'sentinels'
  | 'leftovers'
  | 'settings'
  | 'clock'
  | 'notices'
  | 'journal'
  | 'work'
  | 'receipts'
  | 'restarts'
  | 'token'
  | 'watcher';

export interface Finding {
  readonly level: Level;
  readonly check: Check;
  readonly what: string;
  /** A path. */
  readonly where?: string;
  /** In that file, from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly todo?: string;
  /** It could not be examined, so its state is unknown. */
  readonly unexamined?: true;
}

/** The fleet that is examined. */
export interface ExaminedFleet {
  readonly root: RootChoice;
  readonly listing: ProfileListing;
  /** The scopes of the root, of the cluster's copy, and of every profile. */
  readonly scopes: readonly Scope[];
  readonly disk: DiskPort;
  readonly nowMs: number;
}

/** How many findings of one kind are listed: one cause in a thousand profiles must not hide everything else. */
const MAX_DESCRIBED = 8;

/** A finding for each of the first ones, and one finding for all the others. */
export function firstFew<T>(
  all: readonly T[],
  describe: (one: T) => Finding,
  more: (others: readonly T[]) => Finding,
): Finding[] {
  const described = all.slice(0, MAX_DESCRIBED).map(describe);
  return all.length > MAX_DESCRIBED ? [...described, more(all.slice(MAX_DESCRIBED))] : described;
}
