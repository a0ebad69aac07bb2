/**
 * Reads the state of scopes and of profiles. It never writes, not even to retire an expired hold.
 */
import {
  check,
  couldNotLook,
  DEFAULT_PROFILE,
  type DiskPort,
  type Profile,
  profileChain,
  rootScopes,
  type Scope,
  type ScopeState,
  SENTINEL,
} from '@fleet-estop/sentinel-core';

/** The state of a profile, or of the root (`profile` is null): every scope of its chain. */
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

/** `root` was read before, so that all profiles of an answer share one look at the root. */
export function readProfileState(
  disk: DiskPort,
  root: ProfileState,
  rootDir: string,
  { name }: Profile,
): ProfileState {
  const [own] = profileChain(rootDir, name).scopes;
  if (name === DEFAULT_PROFILE || own === undefined) return { profile: name, states: root.states };
  return { profile: name, states: [readScope(disk, own), ...root.states] };
}

export const isHeld = (states: readonly ScopeState[]): boolean =>
  states.some(({ check: { engaged } }) => engaged);

/**
 * Why the sentinel of a held scope is not a readable body; null: it is readable. An empty file (`touch`) is
 * a valid pause and counts as readable.
 */
export const unreadableIn = (state: ScopeState): string | null =>
  causesIn(state).find((cause) => cause !== 'empty') ?? null;

/**
 * Why a scope could not be read at all, which counts as held; null: it was read. A sentinel that was read
 * but is not a valid body (plain text, a folder, one broken entry) is simply held.
 */
export const notSeenIn = (state: ScopeState): string | null =>
  causesIn(state).find((cause) => cause !== 'entry' && couldNotLook(cause)) ?? null;

function causesIn({ check }: ScopeState): string[] {
  if (!check.engaged) return [];
  const causes = [check.unreadable, ...check.holds.map((hold) => hold.unreadable)];
  return causes.filter((cause) => cause !== undefined);
}
