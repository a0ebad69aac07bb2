/**
 * May a pushed state be acknowledged?
 */
import type { State, StateHold } from '@fleet-estop/wire';
import type { ProfileState } from './profile-state.ts';

/**
 * Only where the disk agrees, since that is what the doors go by: a free one while nothing holds
 * here, a held one while every hold that it names stands here. So a gateway that looks at another
 * disk than the watcher (a container with a copy of the folder) never says that it stopped.
 */
export function isInForce(pushed: State, current: ProfileState): boolean {
  if (pushed.engaged !== current.engaged) return false;
  return pushed.holds.every((hold) => stands(hold, current));
}

function stands({ scope: kind, id }: StateHold, { scopes }: ProfileState): boolean {
  return scopes.some(({ scope, check: found }) => {
    if (scope.kind !== kind || !found.engaged) return false;
    // What cannot be read here holds everybody, whatever its name is.
    return found.holds.some((hold) => hold.id === id || hold.unreadable !== undefined);
  });
}
