/**
 * What a `--wait` waits for: which profiles are meant, which state of theirs must be acknowledged, and
 * whether the disk still says what was asked for. Of a pause this is `pause-goal.ts`, of a resume
 * `resume-goal.ts`; the waiting is `await-acknowledged.ts`.
 */

import { statSync } from 'node:fs';
import { DEFAULT_LANE, isProfileName, profileHome } from '@fleet-estop/sentinel-core';
import type { WatcherState } from './state.ts';

export interface Goal {
  /** Every profile of the fleet is meant, so it must be known which there are. */
  readonly meansAll: boolean;
  /** Reads the disk anew. Sentences about what is no longer so; none: it still is. */
  readonly look: () => readonly string[];
  /** Those that must be acknowledged for; the watcher may know of more than were listed before. */
  readonly profilesOf: (state: WatcherState) => readonly string[];
  /** The least revision whose acknowledgement counts; null: the watcher has not seen it yet. */
  readonly wantedRevision: (state: WatcherState, profile: string) => number | null;
  /** Before it was written, milliseconds since the epoch. */
  readonly beganMs: (profile: string) => number;
}

/** The watcher may know names that are none of a lane: they have no folder here. */
export const homeOf = (root: string, name: string): string =>
  name === DEFAULT_LANE || !isProfileName(name) ? root : profileHome(root, name);

/** Certain only where it is false. */
export function isThere(root: string, name: string): boolean {
  try {
    return statSync(homeOf(root, name), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
