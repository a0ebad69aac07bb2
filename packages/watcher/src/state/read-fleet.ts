/**
 * Reads the state of a fleet from disk; never throws for what it finds there.
 * The types are `fleet-state.ts`; one scope is read by the core's `check`.
 *
 * Unchanged values are returned as the same objects, up to whole lists: most sweeps of a large
 * fleet find nothing new, and then nothing is allocated.
 */

import type { HoldView } from '@fleet-estop/protocol';
import {
  check,
  DEFAULT_PROFILE,
  type DiskPort,
  type Hold,
  identifyFolder,
  listProfiles,
  profileChain,
  rootScopes,
  type Scope,
  whyNoRoot,
} from '@fleet-estop/sentinel-core';
import {
  type FleetState,
  type ProfileState,
  profilesByName,
  type ScopeState,
  scopesOf,
  unreadIn,
} from './fleet-state.ts';

export interface FleetReading {
  /** A gateway serves the profile `default`, so it is listed even without a `profile.yaml`. */
  readonly servedFromRoot?: boolean;
}

/**
 * Reads everything. If profiles cannot be listed, those of `before` stay: losing sight of a profile
 * never lifts its hold. While the root is missing, the fleet counts as held [2].
 */
export function readFleet(
  disk: DiskPort,
  root: string,
  before: FleetState | null = null,
  { servedFromRoot = false }: FleetReading = {},
): FleetState {
  const listing = listProfiles(root);
  const scopes = rootScopes(root);
  const read = scopes.map((scope, at) => readScope(disk, scope, before?.shared[at]));
  // Checked last: if the root vanished meanwhile, finding nothing in it means nothing.
  const rootGone = whyNoRoot(root);
  const unreadable = listing.unreadable ?? rootGone;
  const names = listing.profiles.map(({ name }) => name);
  if (servedFromRoot && !names.includes(DEFAULT_PROFILE)) names.unshift(DEFAULT_PROFILE);
  if (unreadable !== null) {
    const listed = new Set(names);
    for (const { name } of before?.profiles ?? []) if (!listed.has(name)) names.push(name);
  }

  const lostShared = (why: string) =>
    scopes.map((scope, at) => {
      const old = before?.shared[at];
      return scope.kind === 'root' ? lostScope(scope, why, old) : (old ?? freeScope(scope));
    });
  const shared = rootGone === null ? read : lostShared(rootGone);
  const heldByAll = isAnyEngaged(shared);
  const known = before === null ? null : profilesByName(before);
  const profiles = names.map((name) => {
    const old = known?.get(name);
    const scope = old === undefined ? ownScopeOf(root, name) : old.own;
    if (scope === null) return profileStateOf(old, name, null, heldByAll);
    // The root's own hold binds every profile.
    if (rootGone !== null)
      return profileStateOf(old, name, old?.own ?? freeScope(scope), heldByAll);
    return profileStateOf(
      old,
      name,
      readProfileScope(disk, scope, old?.own, unreadable),
      heldByAll,
    );
  });
  return withLastSeen(before, {
    root,
    shared: sameList(before?.shared, shared),
    profiles: sameList(before?.profiles, profiles),
    rejected: listing.rejected,
    unreadable,
    listings: (before?.listings ?? 0) + 1,
  });
}

/** Rereads only these scopes; the list of profiles stays. */
export function rereadScopes(
  disk: DiskPort,
  before: FleetState,
  dirs: ReadonlySet<string>,
): FleetState {
  const { unreadable } = before;
  const shared = before.shared.map((scope) =>
    dirs.has(scope.dir) ? readScope(disk, scope, scope) : scope,
  );
  // A full look must handle a vanished root. Checked last, as there.
  if (whyNoRoot(before.root) !== null) return before;
  const heldByAll = isAnyEngaged(shared);
  const profiles = before.profiles.map((previous) => {
    const { name, own } = previous;
    const read =
      own !== null && dirs.has(own.dir) ? readProfileScope(disk, own, own, unreadable) : own;
    return profileStateOf(previous, name, read, heldByAll);
  });
  return withLastSeen(before, {
    ...before,
    shared: sameList(before.shared, shared),
    profiles: sameList(before.profiles, profiles),
  });
}

/** Returns `before` if nothing changed. */
function sameList<T>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] {
  const isSame = before?.length === now.length && now.every((one, at) => one === before[at]);
  return isSame ? before : now;
}

const NO_LAST_SEEN: FleetState['lastSeen'] = new Map();

function withLastSeen(before: FleetState | null, now: Omit<FleetState, 'lastSeen'>): FleetState {
  const unread = unreadIn(now);
  if (unread.length === 0) return { ...now, lastSeen: NO_LAST_SEEN };
  const old = new Map(before === null ? [] : scopesOf(before).map((scope) => [scope.dir, scope]));
  const lastSeen = new Map(
    unread.map(({ dir }) => [dir, before?.lastSeen.get(dir) ?? old.get(dir)?.holds ?? []]),
  );
  return { ...now, lastSeen };
}

const isAnyEngaged = (scopes: readonly ScopeState[]): boolean =>
  scopes.some(({ engaged }) => engaged);

/** Returns `before` if nothing changed. */
function profileStateOf(
  before: ProfileState | undefined,
  name: string,
  own: ScopeState | null,
  heldByAll: boolean,
): ProfileState {
  const engaged = heldByAll || own?.engaged === true;
  return before?.own === own && before.engaged === engaged ? before : { name, engaged, own };
}

/** null: the profile is served from the root. */
const ownScopeOf = (root: string, name: string): Scope | null =>
  profileChain(root, name).scopes.find(({ kind }) => kind === 'profile') ?? null;

type ScopeName = Pick<Scope, 'kind' | 'dir'> & { readonly profile?: string | null };

/**
 * Reads a profile's own scope. A missing folder has no holds, but its profile does not run either:
 * the next listing decides, or nothing can be known (`unlisted`), and then it is held [2].
 */
function readProfileScope(
  disk: DiskPort,
  scope: ScopeName,
  before: ScopeState | null | undefined,
  unlisted: string | null,
): ScopeState {
  const now = readScope(disk, scope, before);
  const mayBeGone = unlisted !== null || before?.engaged === true;
  if (now.engaged || !mayBeGone || identifyFolder(scope.dir).state === 'present') return now;
  if (unlisted !== null) return lostScope(scope, unlisted, before);
  return before ?? now;
}

/** Returns `before` if nothing changed. */
function readScope(disk: DiskPort, scope: ScopeName, before?: ScopeState | null): ScopeState {
  const found = check(disk, scope.dir);
  if (!found.engaged) {
    const { expired } = found;
    // Nearly every scope of a large fleet, at every sweep.
    if (before?.engaged === false && before.expired === expired) return before;
    return { ...freeScope(scope), expired };
  }
  const { kind } = scope;
  return sameScope(before, {
    ...nameOf(scope),
    engaged: true,
    expired: found.overdue === true,
    generation: found.generation,
    holds: found.holds.map((hold) => viewOf(kind, hold)),
    unreadable: whyUnreadable(found.unreadable),
  });
}

/** A scope that cannot be looked at counts as held, like an unreadable file. */
function lostScope(scope: ScopeName, why: string, before?: ScopeState | null): ScopeState {
  const hold: HoldView = {
    scope: scope.kind,
    id: 'unknown',
    holder: null,
    reason: null,
    since: null,
    expires_at: null,
    expires_at_ms: null,
    allowed_users: 0,
    unreadable: why,
  };
  const held = { engaged: true, expired: false, generation: null, holds: [hold], unreadable: why };
  return sameScope(before, { ...nameOf(scope), ...held });
}

const freeScope = (scope: ScopeName): ScopeState => ({
  ...nameOf(scope),
  engaged: false,
  expired: false,
  generation: null,
  holds: [],
  unreadable: null,
});

const nameOf = ({ kind, dir, profile = null }: ScopeName) => ({ kind, profile, dir });

const sameScope = (before: ScopeState | null | undefined, now: ScopeState): ScopeState =>
  before && JSON.stringify(before) === JSON.stringify(now) ? before : now;

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
