/**
 * Reads what stands in the scopes of a fleet, and what that comes to for a lane.
 * It never writes: a reader that retired an expired hold would be a writer.
 */
import {
  check,
  couldNotLook,
  DEFAULT_LANE,
  type DiskPort,
  type Profile,
  profileChain,
  rootScopes,
  type Scope,
  type ScopeState,
  SENTINEL,
} from '@fleet-estop/sentinel-core';

/** A profile, or the root itself (null), and the whole chain that binds it. */
export interface ProfileState {
  readonly profile: string | null;
  /** Nearest first, root and cluster last. */
  readonly states: readonly ScopeState[];
}

export const sentinelOf = ({ dir }: Scope): string => `${dir === '/' ? '' : dir}/${SENTINEL}`;

export const readScope = (disk: DiskPort, scope: Scope): ScopeState => ({
  scope,
  check: check(disk, scope.dir),
});

export const readRootState = (disk: DiskPort, root: string): ProfileState => ({
  profile: null,
  states: rootScopes(root).map((scope) => readScope(disk, scope)),
});

/** `root` was read before: one look at the root serves every lane of an answer. */
export function readProfileState(
  disk: DiskPort,
  root: ProfileState,
  rootDir: string,
  { name }: Profile,
): ProfileState {
  const [own] = profileChain(rootDir, name).scopes;
  if (name === DEFAULT_LANE || own === undefined) return { profile: name, states: root.states };
  return { profile: name, states: [readScope(disk, own), ...root.states] };
}

export const isHeld = (states: readonly ScopeState[]): boolean =>
  states.some(({ check: { engaged } }) => engaged);

/**
 * Why what holds a scope is no readable body; null: it is one. An empty file is a pause that says
 * nothing (`touch`), and not one that cannot be read.
 */
export const unreadableIn = (state: ScopeState): string | null =>
  causesIn(state).find((cause) => cause !== 'empty') ?? null;

/**
 * Why a scope could not be looked at, which counts as held and is known of nobody; null: it was. What
 * was looked at and is no body (plain text, a folder, one broken entry) plainly holds.
 */
export const notSeenIn = (state: ScopeState): string | null =>
  causesIn(state).find((cause) => cause !== 'entry' && couldNotLook(cause)) ?? null;

function causesIn({ check }: ScopeState): string[] {
  if (!check.engaged) return [];
  const causes = [check.unreadable, ...check.holds.map((hold) => hold.unreadable)];
  return causes.filter((cause) => cause !== undefined);
}
