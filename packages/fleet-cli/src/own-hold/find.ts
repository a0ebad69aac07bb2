/**
 * Looks for one hold in a scope, and distinguishes "not there" from "could not be seen".
 */
import {
  type DiskPort,
  type Hold,
  recover,
  type Scope,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { readScope, unreadableIn } from '../fleet/state.ts';

export interface HoldSearch {
  readonly state: ScopeState;
  readonly mine: Hold | null;
  /** false: the hold may be there, in an unfinished operation or in a file that cannot be read. */
  readonly certain: boolean;
}

/** If the hold is not seen, recovers what a dead owner left, because the hold may be in there. */
export function findHold(
  disk: DiskPort,
  scope: Scope,
  isMine: (hold: Hold) => boolean,
): HoldSearch {
  const mineIn = ({ check }: ScopeState): Hold | null =>
    (check.engaged ? check.holds.find(isMine) : undefined) ?? null;

  const first = readScope(disk, scope);
  const seen = mineIn(first);
  if (seen !== null) return { state: first, mine: seen, certain: true };
  const { settled } = recover(disk, scope.dir);
  const state = readScope(disk, scope);
  const underWay = state.check.engaged && state.check.aside === true;
  const certain = settled && !underWay && unreadableIn(state) === null;
  return { state, mine: mineIn(state), certain };
}
