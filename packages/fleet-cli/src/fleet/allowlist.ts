/**
 * Compares allowlists: who may pass the holds of some scopes, and who no longer may.
 * What a single hold decides for one user is the core's `explain`.
 */
import { type Allow, intersectAllow, type ScopeState } from '@fleet-estop/sentinel-core';

/** Who may pass every hold of these scopes; null: nobody. Without a hold it means nothing. */
export function mayPass(states: readonly ScopeState[]): Allow | null {
  const allows: (Allow | null)[] = [];
  for (const { check } of states) {
    if (!check.engaged) continue;
    allows.push(check.topAllow);
    for (const hold of check.holds) allows.push(hold.unreadable === undefined ? hold.allow : null);
  }
  return intersectAllow(allows);
}

/** Who could pass the holds of one scope before and cannot pass those after; null: nobody. */
export function noLongerAllowed(before: ScopeState, after: ScopeState | undefined): Allow | null {
  if (!before.check.engaged || !after?.check.engaged) return null;
  return allowedBeyond(mayPass([before]), mayPass([after]));
}

/** Whom `one` allows and `other` does not; null: nobody. */
export function allowedBeyond(one: Allow | null, other: Allow | null): Allow | null {
  if (one === null || other === null) return one;
  const users = one.userIds.filter((id) => !other.userIds.includes(id));
  if (users.length > 0) return { ...one, userIds: users };
  const { profiles } = other;
  if (profiles === undefined) return null;
  if (one.profiles === undefined) return one;
  const more = one.profiles.filter((name) => !profiles.includes(name));
  return more.length === 0 ? null : { userIds: one.userIds, profiles: more };
}
