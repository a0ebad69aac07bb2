/**
 * Who passes the holds of a chain by the allowlists alone, and whom a new hold closes out.
 * What a gate decides for one principal is `admit.ts`.
 */
import { intersectAllow } from '../model/allow.ts';
import type { Allow, Hold } from '../model/hold.ts';
import type { ScopeState } from './admit.ts';

/** Whom every hold of these scopes lets pass; null: nobody, or nothing holds. */
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

/** Whom an allowlist lets pass in this profile; null: in any. */
export function listedIn(allow: Allow | null, profile: string | null): readonly string[] {
  if (allow === null) return [];
  if (profile !== null && allow.profiles?.includes(profile) === false) return [];
  return allow.userIds;
}

/**
 * Who could pass while `before` stood and cannot while `hold` stands beside it. No other hold is
 * changed by a new one; but deny wins, so a new one can close what others left open.
 */
export function closedOut(
  before: readonly ScopeState[],
  { allow }: Pick<Hold, 'allow'>,
  profile: string | null,
): readonly string[] {
  const has = listedIn(allow, profile);
  return listedIn(narrowest(before), profile).filter((id) => !has.includes(id));
}
