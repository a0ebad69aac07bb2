/**
 * What stands in a whole fleet at one look, as the disk says it.
 * When to look is `observe/`; what changed between two looks is `changes.ts`.
 */
import {
  check,
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
  /** Why the hold could not be read; null where it could. */
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

/**
 * Reads everything from disk; never throws for what it finds there. Where the profiles cannot be
 * listed, those known before stay, read anew: losing sight of a lane never lifts it.
 */
export function readFleet(disk: DiskPort, root: string, known: readonly string[] = []): FleetState {
  const listing = listProfiles(root);
  const shared = rootScopes(root).map((scope) => readScope(disk, scope));
  const heldByAll = shared.some((scope) => scope.engaged);
  const listed = listing.profiles.map(({ name }) => name);
  const names = listing.unreadable === undefined ? listed : [...new Set([...listed, ...known])];
  const profiles = names.map((name): ProfileState => {
    const scope = profileChain(root, name).scopes.find(({ kind }) => kind === 'profile');
    const own = scope === undefined ? null : readScope(disk, scope);
    return { name, engaged: heldByAll || own?.engaged === true, own };
  });
  return {
    root,
    shared,
    profiles,
    rejected: listing.rejected,
    unreadable: listing.unreadable ?? null,
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

function readScope(disk: DiskPort, { kind, dir, profile = null }: ScopeWithProfile): ScopeState {
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
    unreadable: found.unreadable ?? null,
  };
}

type ScopeWithProfile = Pick<Scope, 'kind' | 'dir'> & { readonly profile?: string | null };

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
    unreadable: hold.unreadable ?? null,
  };
}
