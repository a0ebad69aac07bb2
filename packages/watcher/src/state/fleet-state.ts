/**
 * What stands in a whole fleet at one look, as the disk says it.
 * When to look is `observe/`; what changed between two looks is `changes.ts`.
 */
import { statSync } from 'node:fs';
import {
  check,
  DEFAULT_LANE,
  type DiskPort,
  type Hold,
  listProfiles,
  profileChain,
  rootScopes,
  type Scope,
} from '@fleet-estop/sentinel-core';
import { fromLists } from './from-lists.ts';

/** One hold, with what a reader outside this process may see of it. */
export interface HoldView {
  readonly scope: Scope['kind'];
  readonly id: string;
  readonly holder: string | null;
  readonly reason: string | null;
  readonly since: string | null;
  readonly expires_at: string | null;
  /** Milliseconds since the epoch; null: never. */
  readonly expires_at_ms: number | null;
  /** How many principals may pass; the list itself is for who may read the disk. */
  readonly allowed_users: number;
  /** Why the hold could not be read; null where it could. An empty file says nothing, and is read. */
  readonly unreadable: string | null;
}

export interface ScopeState {
  readonly kind: Scope['kind'];
  /** The profile's name, for a profile's scope. */
  readonly profile: string | null;
  readonly dir: string;
  readonly engaged: boolean;
  /** An expired sentinel stands here and waits for retirement. */
  readonly expired: boolean;
  readonly generation: string | null;
  readonly holds: readonly HoldView[];
  readonly unreadable: string | null;
}

export interface ProfileState {
  readonly name: string;
  /** Held by any scope of its chain. */
  readonly engaged: boolean;
  /** Its own scope; null for the lane `default`, which is served from the root. */
  readonly own: ScopeState | null;
}

export interface FleetState {
  readonly root: string;
  /** What binds every profile: the root, then the cluster. */
  readonly shared: readonly ScopeState[];
  readonly profiles: readonly ProfileState[];
  /** Folders under `profiles/` that are no lanes, and why. */
  readonly rejected: readonly { readonly name: string; readonly why: string }[];
  /** Why profiles could not be listed; then nothing is known of them, and nothing is claimed. */
  readonly unreadable: string | null;
}

export interface FleetReading {
  /** A gateway serves the lane `default`: then it is listed, with a `profile.yaml` or without. */
  readonly servedFromRoot?: boolean;
}

/**
 * Reads everything from disk; never throws for what it finds there. Where the profiles cannot be
 * listed, those of `before` stay, read anew: losing sight of a lane never lifts it. A scope that
 * says what it said in `before` is the same object, so that a comparison of two looks is cheap.
 */
export function readFleet(
  disk: DiskPort,
  root: string,
  before: FleetState | null = null,
  { servedFromRoot = false }: FleetReading = {},
): FleetState {
  const listing = listProfiles(root);
  const unreadable = listing.unreadable ?? whyNoFolder(root);
  const names = listing.profiles.map(({ name }) => name);
  if (servedFromRoot && !names.includes(DEFAULT_LANE)) names.unshift(DEFAULT_LANE);
  if (unreadable !== null) {
    const listed = new Set(names);
    for (const { name } of before?.profiles ?? []) if (!listed.has(name)) names.push(name);
  }
  const known = before === null ? null : lanesByName(before);
  const shared = rootScopes(root).map((scope, at) => readScope(disk, scope, before?.shared[at]));
  const heldByAll = isAnyEngaged(shared);
  const profiles = names.map((name) => {
    const old = known?.get(name);
    const own = old === undefined ? ownScopeOf(root, name) : old.own;
    const read = own === null ? null : readScope(disk, own, old?.own);
    return laneOf(old, name, read, heldByAll);
  });
  return {
    root,
    shared: sameList(before?.shared, shared),
    profiles: sameList(before?.profiles, profiles),
    rejected: listing.rejected,
    unreadable,
  };
}

/** Reads only these scopes anew; which profiles there are is taken over. */
export function rereadScopes(
  disk: DiskPort,
  before: FleetState,
  dirs: ReadonlySet<string>,
): FleetState {
  const read = (scope: ScopeState) => (dirs.has(scope.dir) ? readScope(disk, scope, scope) : scope);
  const shared = before.shared.map(read);
  const heldByAll = isAnyEngaged(shared);
  const profiles = before.profiles.map((lane) =>
    laneOf(lane, lane.name, lane.own === null ? null : read(lane.own), heldByAll),
  );
  return {
    ...before,
    shared: sameList(before.shared, shared),
    profiles: sameList(before.profiles, profiles),
  };
}

/** A list that says what it said before is the same object: most sweeps find nothing new. */
function sameList<T>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] {
  const isSame = before?.length === now.length && now.every((one, at) => one === before[at]);
  return isSame ? before : now;
}

const lanesByName = fromLists(
  ({ profiles }): ReadonlyMap<string, ProfileState> =>
    new Map(profiles.map((profile) => [profile.name, profile])),
);

/** Every scope of the fleet once, the shared ones first. */
export const scopesOf = fromLists(({ shared, profiles }): readonly ScopeState[] => [
  ...shared,
  ...profiles.flatMap(({ own }) => (own === null ? [] : [own])),
]);

/** The holds that bind one profile, nearest first. */
export function holdsOf(state: FleetState, profile: ProfileState): HoldView[] {
  return [...(profile.own?.holds ?? []), ...state.shared.flatMap(({ holds }) => holds)];
}

/** What could not be read, and why. All of it counts as held, or is not claimed. */
export function unreadableIn(state: FleetState): { readonly what: string; readonly why: string }[] {
  const found = state.unreadable === null ? [] : [{ what: 'profiles', why: state.unreadable }];
  for (const { dir, unreadable, holds } of scopesOf(state)) {
    const why = unreadable ?? holds.find((hold) => hold.unreadable !== null)?.unreadable ?? null;
    if (why !== null) found.push({ what: dir, why });
  }
  return found;
}

const isAnyEngaged = (scopes: readonly ScopeState[]): boolean =>
  scopes.some(({ engaged }) => engaged);

/** `before` itself where that says the same. */
function laneOf(
  before: ProfileState | undefined,
  name: string,
  own: ScopeState | null,
  heldByAll: boolean,
): ProfileState {
  const engaged = heldByAll || own?.engaged === true;
  return before?.own === own && before.engaged === engaged ? before : { name, engaged, own };
}

/** null: the lane is served from the root. */
const ownScopeOf = (root: string, name: string): Scope | null =>
  profileChain(root, name).scopes.find(({ kind }) => kind === 'profile') ?? null;

type ScopeName = Pick<Scope, 'kind' | 'dir'> & { readonly profile?: string | null };

/** `before` itself where it says the same. */
function readScope(
  disk: DiskPort,
  { kind, dir, profile = null }: ScopeName,
  before?: ScopeState | null,
): ScopeState {
  const found = check(disk, dir);
  if (!found.engaged) {
    const { engaged, expired } = found;
    // Nearly all of a large fleet, at every sweep.
    if (before?.engaged === false && before.expired === expired) return before;
    const free = { engaged, expired, generation: null, holds: [], unreadable: null };
    return { kind, profile, dir, ...free };
  }
  const now = {
    kind,
    profile,
    dir,
    engaged: found.engaged,
    expired: found.overdue === true,
    generation: found.generation,
    holds: found.holds.map((hold) => viewOf(kind, hold)),
    unreadable: whyUnreadable(found.unreadable),
  };
  return before && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

function viewOf(scope: Scope['kind'], hold: Hold): HoldView {
  return {
    scope,
    id: hold.id,
    holder: hold.holder,
    reason: hold.reason,
    since: hold.engagedAt,
    expires_at: hold.expiresAt,
    expires_at_ms: hold.expiresAtMs,
    allowed_users: hold.allow?.userIds.length ?? 0,
    unreadable: whyUnreadable(hold.unreadable),
  };
}

const whyUnreadable = (why: string | undefined): string | null =>
  why === undefined || why === 'empty' ? null : why;

/** A fleet whose root is gone has no profiles to list; that is not "no profiles". */
function whyNoFolder(root: string): string | null {
  try {
    return statSync(root).isDirectory() ? null : 'ENOTDIR';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
