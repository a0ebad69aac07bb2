/**
 * The state of a profile as one read of the disk shows it, and whether a pushed state agrees with it.
 * When to read is `watch-profiles.ts`.
 */

import type { State, StateHold } from '@fleet-estop/protocol';
import {
  type Chain,
  check,
  type DiskPort,
  nextDeadline,
  type Scope,
  type ScopeCheck,
  type ScopeState,
} from '@fleet-estop/sentinel-core';

export interface ProfileState {
  readonly profile: string;
  /** true: some scope of its chain is held. Allowlists are applied by `admit`, not here. */
  readonly engaged: boolean;
  /** All scopes of the chain, nearest first, as `admit` and `explain` of the core take them. */
  readonly scopes: readonly ScopeState[];
}

/** Reads every scope once, even if several chains share it. Never throws [7]. */
export function readProfileStates(disk: DiskPort, chains: Iterable<Chain>): ProfileState[] {
  const seen = new Map<string, ScopeCheck>();
  const read = (scope: Scope): ScopeState => {
    const known = seen.get(scope.dir) ?? check(disk, scope.dir);
    seen.set(scope.dir, known);
    return { scope, check: known };
  };
  return [...chains].map(({ profile, scopes }) => {
    const states = scopes.map(read);
    return { profile, engaged: states.some((state) => state.check.engaged), scopes: states };
  });
}

/** True if both states lead to the same admissions and the same notices. */
export const sameState = (a: ProfileState | undefined, b: ProfileState): boolean =>
  a !== undefined && textOfState(a) === textOfState(b);

const textOfState = ({ scopes }: ProfileState): string =>
  scopes.map(({ scope, check: found }) => `${scope.dir}\n${textOf(found)}`).join('\n');

/** Serialized states by check: the check of the root is shared by every profile. */
const texts = new WeakMap<ScopeCheck, string>();

function textOf(found: ScopeCheck): string {
  if (!found.engaged) return '';
  const { holds, topAllow, unreadable, overdue } = found;
  const text = texts.get(found) ?? JSON.stringify([holds, topAllow, unreadable, overdue]);
  texts.set(found, text);
  return text;
}

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

/** The next deadline of these holds, in milliseconds since the epoch; null if there is none. */
export const deadlineOf = (states: readonly ProfileState[], nowMs: number): number | null =>
  nextDeadline(
    states.flatMap(({ scopes }) =>
      scopes.flatMap(({ check: found }) =>
        found.engaged ? found.holds.map((hold) => hold.expiresAtMs) : [],
      ),
    ),
    nowMs,
  );

/**
 * An operation on a sentinel is under way, or its process died. Its end may cause no notification,
 * because it happens inside the tenure's folder.
 */
export const isUnsettled = ({ scopes }: ProfileState): boolean =>
  scopes.some(
    ({ check: found }) =>
      found.engaged && (found.aside === true || found.unreadable === 'unsettled'),
  );
