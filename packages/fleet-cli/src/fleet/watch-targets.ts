/**
 * What to watch of a fleet in order to see its next change, and when one comes by itself.
 * Watching and looking again is `follow` of the core; what a look sees is the caller's.
 */
import {
  nextDeadline,
  type ScopeState,
  type Outlook as WatchTargets,
} from '@fleet-estop/sentinel-core';
import type { Session } from './session.ts';
import type { ProfileState } from './state.ts';

export type { WatchTargets };

/** Of these lanes, and of which lanes there are. */
export function watchTargetsOf(
  session: Session,
  profileStates: readonly ProfileState[],
  alsoAtMs: number | null,
): WatchTargets {
  const states = profileStates.flatMap((profileState) => profileState.states);
  const root = session.root.root === '/' ? '' : session.root.root;
  return {
    scopes: [...new Set(states.map(({ scope }) => scope.dir))],
    // Where lanes come and go.
    shapes: [`${root}/profiles`],
    deadlineMs: nextDeadline([...deadlinesIn(states), alsoAtMs], session.nowMs),
  };
}

/** When the holds of these end by themselves; null: one does not. */
export const deadlinesIn = (states: readonly ScopeState[]): (number | null)[] =>
  states.flatMap(({ check }) =>
    check.engaged ? check.holds.map(({ expiresAtMs }) => expiresAtMs) : [],
  );
