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
    for (const { name } of before?.profiles ?? []) if (!names.includes(name)) names.push(name);
  }
  const known = new Map(before === null ? [] : scopesOf(before).map((scope) => [scope.dir, scope]));
  const read = (scope: Scope) => sameAs(known.get(scope.dir), readScope(disk, scope));
  const shared = rootScopes(root).map(read);
  const lanes = names.map((name) => {
    const own = profileChain(root, name).scopes.find(({ kind }) => kind === 'profile');
    return { name, own: own === undefined ? null : read(own) };
  });
  const now = { ...compose(root, shared, lanes), rejected: listing.rejected, unreadable };
  return before === null ? now : withSameLists(before, now);
}

/** Reads only these scopes anew; which profiles there are is taken over. */
export function rereadScopes(
  disk: DiskPort,
  before: FleetState,
  dirs: ReadonlySet<string>,
): FleetState {
  const read = (scope: ScopeState) =>
    dirs.has(scope.dir) ? sameAs(scope, readScope(disk, scope)) : scope;
  const lanes = before.profiles.map(({ name, own }) => ({
    name,
    own: own === null ? null : read(own),
  }));
  return { ...before, ...compose(before.root, before.shared.map(read), lanes) };
}

/** A list that says what it said before is the same object: most sweeps find nothing new. */
function withSameLists(before: FleetState, now: FleetState): FleetState {
  const sameShared =
    before.shared.length === now.shared.length &&
    now.shared.every((scope, at) => scope === before.shared[at]);
  const sameProfiles =
    before.profiles.length === now.profiles.length &&
    now.profiles.every(({ name, engaged, own }, at) => {
      const old = before.profiles[at];
      return old?.own === own && old.name === name && old.engaged === engaged;
    });
  return {
    ...now,
    shared: sameShared ? before.shared : now.shared,
    profiles: sameProfiles ? before.profiles : now.profiles,
  };
}

/** Every scope of the fleet once, the shared ones first. */
export function scopesOf(state: FleetState): ScopeState[] {
  return [...state.shared, ...state.profiles.flatMap(({ own }) => (own === null ? [] : [own]))];
}

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

function compose(
  root: string,
  shared: readonly ScopeState[],
  lanes: readonly Pick<ProfileState, 'name' | 'own'>[],
): Pick<FleetState, 'root' | 'shared' | 'profiles'> {
  const heldByAll = shared.some((scope) => scope.engaged);
  const profiles = lanes.map(({ name, own }) => ({
    name,
    engaged: heldByAll || own?.engaged === true,
    own,
  }));
  return { root, shared, profiles };
}

type ScopeName = Pick<Scope, 'kind' | 'dir'> & { readonly profile?: string | null };

function readScope(disk: DiskPort, { kind, dir, profile = null }: ScopeName): ScopeState {
  const found = check(disk, dir);
  const shared = { kind, profile, dir, engaged: found.engaged };
  if (!found.engaged) {
    const { expired } = found;
    return { ...shared, expired, generation: null, holds: [], unreadable: null };
  }
  return {
    ...shared,
    expired: found.overdue === true,
    generation: found.generation,
    holds: found.holds.map((hold) => viewOf(kind, hold)),
    unreadable: whyUnreadable(found.unreadable),
  };
}

function sameAs(before: ScopeState | undefined, now: ScopeState): ScopeState {
  if (before === undefined) return now;
  // Nearly all of a large fleet, at every sweep.
  const bothFree = !before.engaged && !now.engaged && before.expired === now.expired;
  return bothFree || JSON.stringify(before) === JSON.stringify(now) ? before : now;
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
