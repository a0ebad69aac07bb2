/**
 * Computes what changed between two looks at a fleet; pure functions.
 * Why a hold is gone (lifted, or removed externally) is `departures.ts`.
 */
import type { HoldView } from '@fleet-estop/protocol';
import {
  type FleetState,
  isUnread,
  type ProfileState,
  type ScopeState,
  scopesOf,
} from './fleet-state.ts';

export type Change =
  | { readonly type: 'hold.armed'; readonly scope: ScopeState; readonly hold: HoldView }
  /** Re-armed by its holder, or edited in place (then `replaced` has the same id). */
  | {
      readonly type: 'hold.rearmed';
      readonly scope: ScopeState;
      readonly hold: HoldView;
      readonly replaced: HoldView;
    }
  | { readonly type: 'hold.unreadable'; readonly scope: ScopeState; readonly hold: HoldView }
  | { readonly type: 'hold.expired'; readonly scope: ScopeState; readonly hold: HoldView }
  | ({ readonly type: 'hold.gone' } & Departure)
  | { readonly type: 'profile.added'; readonly profile: ProfileState }
  | { readonly type: 'profile.removed'; readonly profile: ProfileState }
  | { readonly type: 'profile.paused'; readonly profile: ProfileState }
  | { readonly type: 'profile.running'; readonly profile: ProfileState };

/** A hold that is gone before its deadline: lifted, or cleared externally. */
export interface Departure {
  readonly scope: ScopeState;
  readonly hold: HoldView;
}

/** Ordered for a reader: holds first, then their effect on profiles. */
export function changesBetween(
  before: FleetState | null,
  after: FleetState,
  nowMs: number,
): Change[] {
  if (isSameFleet(before, after)) return [];
  const changes: Change[] = [];
  const oldScopes = before === null ? [] : scopesOf(before);
  const newScopes = scopesOf(after);
  const oldAt = lookupIn(oldScopes, dirOf);
  newScopes.forEach((scope, at) => {
    const old = oldAt(scope.dir, at);
    if (old === scope) return;
    if (isUnread(scope)) changes.push(...unreadableHolds(old?.holds ?? [], scope));
    else changes.push(...holdChanges(seenIn(before, old), scope, nowMs));
  });
  // The holds of a scope that vanished are gone.
  const newAt = lookupIn(newScopes, dirOf);
  oldScopes.forEach((scope, at) => {
    if (newAt(scope.dir, at) !== undefined) return;
    changes.push(...seenIn(before, scope).map((hold) => departed(scope, hold, nowMs)));
  });
  return [...changes, ...profileChanges(before, after)];
}

/** Holds of the last readable look: a placeholder for an unreadable scope is none. */
const seenIn = (fleet: FleetState | null, scope: ScopeState | undefined): readonly HoldView[] =>
  scope === undefined ? [] : (fleet?.lastSeen.get(scope.dir) ?? scope.holds);

/** The old holds may still stand: none is gone, and none is new. */
const unreadableHolds = (before: readonly HoldView[], scope: ScopeState): Change[] =>
  scope.holds
    .filter((hold) => hold.unreadable !== null && !before.some((known) => sameHold(known, hold)))
    .map((hold) => ({ type: 'hold.unreadable', scope, hold }));

const dirOf = ({ dir }: ScopeState): string => dir;
const profileNameOf = ({ name }: ProfileState): string => name;

/**
 * Looks items up by key. Items are nearly always at the same index in both lists, so the index is
 * rarely built: gateways are waiting for the result.
 */
function lookupIn<T>(list: readonly T[], keyOf: (one: T) => string) {
  let index: ReadonlyMap<string, T> | undefined;
  return (key: string, at: number): T | undefined => {
    const here = list[at];
    if (here !== undefined && keyOf(here) === key) return here;
    index ??= new Map(list.map((one) => [keyOf(one), one]));
    return index.get(key);
  };
}

/** True at most sweeps: `readFleet` then returns the previous lists. */
const isSameFleet = (before: FleetState | null, after: FleetState): boolean =>
  before?.shared === after.shared && before.profiles === after.profiles;

function profileChanges(before: FleetState | null, after: FleetState): Change[] {
  const changes: Change[] = [];
  const oldProfiles = before?.profiles ?? [];
  const oldAt = lookupIn(oldProfiles, profileNameOf);
  after.profiles.forEach((profile, at) => {
    const old = oldAt(profile.name, at);
    if (old === undefined && before !== null) changes.push({ type: 'profile.added', profile });
    if (old?.engaged === profile.engaged) return;
    // The first look reports paused profiles, and does not claim that any was resumed.
    if (profile.engaged) changes.push({ type: 'profile.paused', profile });
    else if (old !== undefined) changes.push({ type: 'profile.running', profile });
  });
  const newAt = lookupIn(after.profiles, profileNameOf);
  oldProfiles.forEach((profile, at) => {
    if (newAt(profile.name, at) === undefined) changes.push({ type: 'profile.removed', profile });
  });
  return changes;
}

function holdChanges(before: readonly HoldView[], scope: ScopeState, nowMs: number): Change[] {
  const changes: Change[] = [];
  const old = new Map(before.map((hold) => [hold.id, hold]));
  // By id, since a foreign body may contain an id twice.
  const standing = new Map(scope.holds.map((hold) => [hold.id, hold]));
  const gone = new Map([...old].filter(([id]) => !standing.has(id)));
  for (const hold of standing.values()) {
    const known = old.get(hold.id);
    if (known !== undefined && sameHold(known, hold)) continue;
    if (hold.unreadable !== null) {
      changes.push({ type: 'hold.unreadable', scope, hold });
      continue;
    }
    const replaced = known ?? predecessorOf(hold, gone, nowMs);
    if (replaced === undefined || replaced.unreadable !== null) {
      changes.push({ type: 'hold.armed', scope, hold });
      continue;
    }
    gone.delete(replaced.id);
    changes.push({ type: 'hold.rearmed', scope, hold, replaced });
  }
  return [...changes, ...[...gone.values()].map((hold) => departed(scope, hold, nowMs))];
}

/** A holder has one hold per scope: its new hold replaced the one that is gone. */
function predecessorOf(
  hold: HoldView,
  gone: ReadonlyMap<string, HoldView>,
  nowMs: number,
): HoldView | undefined {
  if (hold.holder === null) return undefined;
  return [...gone.values()].find((old) => old.holder === hold.holder && !hasExpired(old, nowMs));
}

const departed = (scope: ScopeState, hold: HoldView, nowMs: number): Change => ({
  type: hasExpired(hold, nowMs) ? 'hold.expired' : 'hold.gone',
  scope,
  hold,
});

const hasExpired = ({ expires_at_ms: at }: HoldView, nowMs: number): boolean =>
  at !== null && at <= nowMs;

const sameHold = (a: HoldView, b: HoldView): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

/** Scopes that are new or changed. */
export function changedScopes(before: FleetState, after: FleetState): ScopeState[] {
  if (isSameFleet(before, after)) return [];
  const old = new Set(scopesOf(before));
  return scopesOf(after).filter((scope) => !old.has(scope));
}

/** Profiles whose gateways need a new state: their holds, or whether they are held, changed. */
export function changedProfiles(before: FleetState | null, after: FleetState): ProfileState[] {
  if (before === null) return [...after.profiles];
  if (isSameFleet(before, after)) return [];
  // Serialized once, not once for each of a thousand profiles.
  const sharedBefore = holdsText(before.shared);
  const sharedAfter = holdsText(after.shared);
  const oldAt = lookupIn(before.profiles, profileNameOf);
  return after.profiles.filter((profile, at) => {
    const known = oldAt(profile.name, at);
    if (known === undefined) return true;
    if (sharedBefore !== sharedAfter || known.engaged !== profile.engaged) return true;
    return known.own !== profile.own && holdsText([known.own]) !== holdsText([profile.own]);
  });
}

/** The holds of these scopes as text. */
const holdsText = (scopes: readonly (ScopeState | null)[]): string =>
  JSON.stringify(scopes.flatMap((scope) => scope?.holds ?? []));

export interface Arrival {
  readonly scope: ScopeState;
  readonly hold: HoldView;
}
