/**
 * What an examination finds: how bad, what, where, and what to do about it.
 * Texts are as they stand on disk; making them harmless to look at is `verbs/doctor/text.ts`.
 */
import type { DiskPort, ProfileListing, RootChoice, Scope } from '@fleet-estop/sentinel-core';

/** `problem`: something does not work as it should. `warning`: it may come to that. */
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
  /** It could not be looked at, so that what is there is not known. */
  readonly unexamined?: true;
}

/** What is examined: a fleet that was found. */
export interface ExaminedFleet {
  readonly root: RootChoice;
  readonly listing: ProfileListing;
  /** The root, the cluster's copy, and every lane's own. */
  readonly scopes: readonly Scope[];
  readonly disk: DiskPort;
  readonly nowMs: number;
}

export const errnoOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException | null)?.code ?? String(error);

/** Told one by one: what one cause does to a thousand lanes would hide everything else. */
const MAX_DESCRIBED = 8;

/** The first of them, and one finding on all the others. */
export function firstFew<T>(
  all: readonly T[],
  describe: (one: T) => Finding,
  more: (others: readonly T[]) => Finding,
): Finding[] {
  const described = all.slice(0, MAX_DESCRIBED).map(describe);
  return all.length > MAX_DESCRIBED ? [...described, more(all.slice(MAX_DESCRIBED))] : described;
}
