/**
 * The folders to watch for the next change of a fleet, and the next deadline.
 * Watching them is `watchForChanges` of the core; what is read after a change is up to the caller.
 */
import { nextDeadline, type ScopeState, type WatchTargets } from '@fleet-estop/sentinel-core';
import type { Session } from './session.ts';
import type { ProfileState } from './state.ts';

/** Watches the scopes of these profiles, and `profiles/` itself. */
export function watchTargetsOf(
  session: Session,
  profileStates: readonly ProfileState[],
  alsoAtMs: number | null,
): WatchTargets {
  const states = profileStates.flatMap((profileState) => profileState.states);
  const root = session.root.root === '/' ? '' : session.root.root;
  return {
    scopes: [...new Set(states.map(({ scope }) => scope.dir))],
    // Profiles are added and removed here.
    shapes: [`${root}/profiles`],
    deadlineMs: nextDeadline([...deadlinesIn(states), alsoAtMs], session.nowMs),
  };
}

/** The deadlines of all holds; null: a hold without one. */
export const deadlinesIn = (states: readonly ScopeState[]): (number | null)[] =>
  states.flatMap(({ check }) =>
    check.engaged ? check.holds.map(({ expiresAtMs }) => expiresAtMs) : [],
  );
