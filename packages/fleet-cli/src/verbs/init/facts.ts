/**
 * The result of `fleet init`: what was made, where, and how the place was chosen.
 */
import type { Group } from './group.ts';
import type { MakeResult } from './make-fleet.ts';

export interface InitFacts {
  readonly root: string;
  /** How the place was chosen. */
  readonly source: Place['source'];
  readonly group: Group | null;
  readonly makeResult: MakeResult;
  /** Existing paths, relative to the root, that are not shared with the group. */
  readonly unshared: readonly string[];
  /** Whether `fleet` without `--root` uses this root. */
  readonly found: boolean;
}

export interface Place {
  readonly path: string;
  readonly source: 'argument' | '--root' | 'FLEET_ROOT' | '~/.fleet';
}
