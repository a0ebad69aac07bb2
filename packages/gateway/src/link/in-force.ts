/**
 * Decides whether a pushed state may be acknowledged.
 * When it is checked is `open-link.ts`.
 */
import type { State, StateHold } from '@fleet-estop/wire';
import type { ProfileState } from './profile-state.ts';

/**
 * True only if the disk agrees, because the doors decide from the disk: a free state if nothing holds
 * here, a held state if every hold that it names stands here. So a gateway that reads another disk than
 * the watcher (a container with a copy of the folder) never claims to have stopped.
 */
export function isInForce(pushed: State, current: ProfileState): boolean {
  if (pushed.engaged !== current.engaged) return false;
  return pushed.holds.every((hold) => stands(hold, current));
}

function stands({ scope: kind, id }: StateHold, { scopes }: ProfileState): boolean {
  return scopes.some(({ scope, check }) => {
    if (scope.kind !== kind || !check.engaged) return false;
    // A sentinel that cannot be read here holds everybody, whatever its ids are.
    return check.holds.some((hold) => hold.id === id || hold.unreadable !== undefined);
  });
}
