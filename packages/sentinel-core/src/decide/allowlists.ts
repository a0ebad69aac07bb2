/**
 * Computes from the allowlists alone who passes the holds of a chain, and whom a new hold excludes.
 * `admit.ts` decides for one principal.
 */
import { intersectAllow } from '../model/allow.ts';
import type { Allow, Hold } from '../model/hold.ts';
import type { ScopeState } from './admit.ts';

/**
 * The allowlist of those whom every hold of these scopes admits. null: nobody passes, or nothing
 * holds. Pure.
 */
export function narrowest(states: readonly ScopeState[]): Allow | null {
  const allows: (Allow | null)[] = [];
  for (const { check } of states) {
    if (!check.engaged) continue;
    allows.push(check.overdue ? null : check.topAllow);
    for (const { allow, unreadable } of check.holds) {
      allows.push(unreadable === undefined ? allow : null);
    }
  }
  return intersectAllow(allows);
}

/**
 * The principals whom an allowlist admits in this profile; `profile: null` means in any profile.
 * Pure.
 */
export function listedIn(allow: Allow | null, profile: string | null): readonly string[] {
  if (allow === null) return [];
  if (profile !== null && allow.profiles?.includes(profile) === false) return [];
  return allow.userIds;
}

/**
 * The principals who could pass the holds in `before` and cannot pass with `hold` beside them. A
 * new hold changes no other hold; but deny wins, so it can exclude principals whom the others admit
 * [10]. Pure.
 */
export function closedOut(
  before: readonly ScopeState[],
  { allow }: Pick<Hold, 'allow'>,
  profile: string | null,
): readonly string[] {
  const has = listedIn(allow, profile);
  return listedIn(narrowest(before), profile).filter((id) => !has.includes(id));
}
