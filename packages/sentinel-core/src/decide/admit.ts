/**
 * Decides whether new work may start. Deny wins: work is admitted only if nothing holds, or if
 * every single hold of the whole chain admits the principal [10].
 * `disk/check.ts` reads the disk.
 */

import type { Allow, Hold } from '../model/hold.ts';
import type { Scope, ScopeCheck } from '../model/scope.ts';

/** One scope of a chain, and the result of its check. */
export interface ScopeState {
  readonly scope: Scope;
  readonly check: ScopeCheck;
}

/** Who wants to start work. The profile is where the work is served, never who asks for it. */
export interface Applicant {
  /** The authenticated identity, compared as exact text; null: unknown. */
  readonly principal: string | null;
  /** The serving profile; null: unknown. */
  readonly profile: string | null;
}

/** Why a hold admits (`listed`) or denies (all others). */
export type Because =
  | 'listed'
  | 'no-allowlist'
  | 'no-principal'
  | 'user-not-listed'
  | 'profile-not-listed'
  | 'unreadable'
  /** Expired, but this process may not remove it: nobody passes, whatever its allowlist. */
  | 'overdue'
  | 'top-level-disagrees';

/** What one hold decides for one applicant. */
export interface Ruling {
  readonly scope: Scope;
  readonly hold: Hold;
  readonly verdict: 'admits' | 'denies';
  readonly because: Because;
}

/** What `admit` decides. `denials` is never empty. */
export type Decision =
  | { readonly admitted: true }
  | { readonly admitted: false; readonly denials: readonly Ruling[] };

/**
 * Decides for one applicant: admitted iff no hold of any scope denies [10]. `denials` are in the
 * order of the scopes and their holds; that order never affects the decision. A hold that cannot be
 * read denies everybody [2]. Pure.
 */
export function admit(states: readonly ScopeState[], applicant: Applicant): Decision {
  const denials: Ruling[] = [];
  for (const state of states) {
    for (const ruling of rule(state, applicant)) {
      if (ruling.verdict === 'denies') denials.push(ruling);
    }
  }
  return denials.length === 0 ? { admitted: true } : { admitted: false, denials };
}

/**
 * Explains to people why work is held: every hold of the chain, nearest scope first as in `states`,
 * and what it decides for this applicant. Pure.
 */
export const explain = (states: readonly ScopeState[], applicant: Applicant): Ruling[] =>
  states.flatMap((state) => rule(state, applicant));

/** What each hold of one scope decides, in the order of the holds. */
function rule({ scope, check }: ScopeState, applicant: Applicant): Ruling[] {
  if (!check.engaged) return [];
  // Older readers see only the top level. If it admits fewer than the holds, they deny, and so do
  // we.
  const top = passes(check.topAllow, applicant);
  return check.holds.map((hold) => {
    const own = because(hold, check.overdue === true, applicant);
    const reason = own === 'listed' && top !== 'listed' ? 'top-level-disagrees' : own;
    return { scope, hold, verdict: reason === 'listed' ? 'admits' : 'denies', because: reason };
  });
}

function because(hold: Hold, overdue: boolean, applicant: Applicant): Because {
  if (hold.unreadable !== undefined) return 'unreadable';
  return overdue ? 'overdue' : passes(hold.allow, applicant);
}

function passes(allow: Allow | null, { principal, profile }: Applicant): Because {
  if (allow === null || allow.userIds.length === 0) return 'no-allowlist';
  if (principal === null || principal === '') return 'no-principal';
  if (!allow.userIds.includes(principal)) return 'user-not-listed';
  if (allow.profiles === undefined) return 'listed';
  return profile !== null && allow.profiles.includes(profile) ? 'listed' : 'profile-not-listed';
}
