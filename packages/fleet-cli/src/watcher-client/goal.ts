/**
 * The goal of a `--wait`: which profiles must be acknowledged, for which state, and whether the disk still has
 * that state. The goals are made in `verbs/pause/goal.ts` and `verbs/resume/goal.ts`; the waiting is
 * `await-acknowledged.ts`.
 */

import { statSync } from 'node:fs';
import { DEFAULT_PROFILE, isProfileName, profileHome } from '@fleet-estop/sentinel-core';
import type { WatcherState } from './state.ts';

export interface Goal {
  /** All profiles of the fleet are meant, so they must be listed completely. */
  readonly meansAll: boolean;
  /** Reads the disk again. Returns sentences about what was undone; none: the goal still stands. */
  readonly look: () => readonly string[];
  /** The profiles that must be acknowledged. The watcher may know profiles that were not listed before. */
  readonly profilesOf: (state: WatcherState) => readonly string[];
  /**
   * Identifies the state that was waited for, as this answer shows it; null: the watcher has not seen it yet.
   * Whoever has acknowledged it need not acknowledge what comes beside it.
   */
  readonly shown: (state: WatcherState, profile: string) => string | null;
  /** When the write began, milliseconds since the epoch. */
  readonly beganMs: (profile: string) => number;
}

/** The watcher may know names that are not profile names; they have no folder here. */
export const homeOf = (root: string, name: string): string =>
  name === DEFAULT_PROFILE || !isProfileName(name) ? root : profileHome(root, name);

/** false only if it certainly does not exist. */
export function isThere(root: string, name: string): boolean {
  try {
    return statSync(homeOf(root, name), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
