/**
 * What happened between two looks at a fleet. Pure.
 * Why a hold is gone (lifted, or removed behind our back) is told by the journal: `departures.ts`.
 */
import {
  type FleetState,
  type HoldView,
  holdsOf,
  type ProfileState,
  type ScopeState,
  scopesOf,
} from './fleet-state.ts';

export type Change =
  | { readonly type: 'hold.armed'; readonly scope: ScopeState; readonly hold: HoldView }
  | {
      readonly type: 'hold.rearmed';
      readonly scope: ScopeState;
      readonly hold: HoldView;
      readonly replaced: HoldView;
    }
  | { readonly type: 'hold.unreadable'; readonly scope: ScopeState; readonly hold: HoldView }
  | { readonly type: 'hold.expired'; readonly scope: ScopeState; readonly hold: HoldView }
  /** Gone before its deadline: lifted, or cleared externally. */
  | { readonly type: 'hold.gone'; readonly scope: ScopeState; readonly hold: HoldView }
  | { readonly type: 'profile.added'; readonly profile: ProfileState }
  | { readonly type: 'profile.removed'; readonly profile: ProfileState }
  | { readonly type: 'profile.paused'; readonly profile: ProfileState }
  | { readonly type: 'profile.running'; readonly profile: ProfileState };

/** In the order in which a reader understands them: holds, then what they did to profiles. */
export function changesBetween(
  before: FleetState | null,
  after: FleetState,
  nowMs: number,
): Change[] {
  const changes: Change[] = [];
  const oldScopes = new Map(before === null ? [] : scopesOf(before).map((s) => [s.dir, s]));
  for (const scope of scopesOf(after)) {
    changes.push(...holdChanges(oldScopes.get(scope.dir), scope, nowMs));
  }
  const oldProfiles = new Map((before?.profiles ?? []).map((p) => [p.name, p]));
  for (const profile of after.profiles) {
    const old = oldProfiles.get(profile.name);
    oldProfiles.delete(profile.name);
    if (old === undefined && before !== null) changes.push({ type: 'profile.added', profile });
    if (old?.engaged === profile.engaged) continue;
    // A first look reports what is paused, and does not claim that anything was resumed.
    if (profile.engaged) changes.push({ type: 'profile.paused', profile });
    else if (old !== undefined) changes.push({ type: 'profile.running', profile });
  }
  for (const profile of oldProfiles.values()) changes.push({ type: 'profile.removed', profile });
  return changes;
}

function holdChanges(old: ScopeState | undefined, scope: ScopeState, nowMs: number): Change[] {
  const changes: Change[] = [];
  const gone = new Map((old?.holds ?? []).map((hold) => [hold.id, hold]));
  for (const hold of scope.holds) {
    if (gone.delete(hold.id)) continue;
    if (hold.unreadable !== null) {
      changes.push({ type: 'hold.unreadable', scope, hold });
      continue;
    }
    const replaced = [...gone.values()].find(
      ({ id, holder }) => holder !== null && holder === hold.holder && !standsIn(scope, id),
    );
    if (replaced === undefined) {
      changes.push({ type: 'hold.armed', scope, hold });
      continue;
    }
    gone.delete(replaced.id);
    changes.push({ type: 'hold.rearmed', scope, hold, replaced });
  }
  for (const hold of gone.values()) {
    const expired = hold.expires_at_ms !== null && hold.expires_at_ms <= nowMs;
    changes.push({ type: expired ? 'hold.expired' : 'hold.gone', scope, hold });
  }
  return changes;
}

const standsIn = (scope: ScopeState, id: string): boolean =>
  scope.holds.some((hold) => hold.id === id);

/** Profiles whose gateways must be told: what binds them, or that they are bound, is not the same. */
export function changedProfiles(before: FleetState | null, after: FleetState): ProfileState[] {
  const old = new Map(
    before === null ? [] : before.profiles.map((p) => [p.name, stamp(before, p)]),
  );
  return after.profiles.filter((profile) => old.get(profile.name) !== stamp(after, profile));
}

const stamp = (state: FleetState, profile: ProfileState): string =>
  JSON.stringify([profile.engaged, holdsOf(state, profile)]);
