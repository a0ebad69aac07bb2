/**
 * What was made, where, and who named the place.
 */
import type { Group } from './group.ts';
import type { MakeResult } from './make-fleet.ts';

export interface InitFacts {
  readonly root: string;
  /** What named it. */
  readonly source: Place['source'];
  readonly group: Group | null;
  readonly makeResult: MakeResult;
  /** Paths from the root that were there, and are not the group's as a shared fleet's must be. */
  readonly unshared: readonly string[];
  /** `fleet` without `--root` works on this one. */
  readonly found: boolean;
}

export interface Place {
  readonly path: string;
  readonly source: 'argument' | '--root' | 'FLEET_ROOT' | '~/.fleet';
}
