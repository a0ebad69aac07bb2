/**
 * May new work start? Deny wins: only if nothing holds, or if every single hold of the whole chain
 * admits the principal [10].
 * Reading the disk is `disk/check.ts`; telling people why is `explain.ts`, which rules hold by hold.
 */

import type { Allow, Hold } from '../model/hold.ts';
import type { Scope, ScopeCheck } from '../model/scope.ts';

/** One scope of a chain, and what stood there. */
export interface ScopeState {
  readonly scope: Scope;
  readonly check: ScopeCheck;
}

/** Who asks. A profile is where the work is served, never who asks for it. */
export interface Applicant {
  /** Authenticated identity, compared as exact text; null: none is known. */
  readonly principal: string | null;
  /** The serving profile; null: not known. */
  readonly profile: string | null;
}

export type Because =
  | 'listed'
  | 'no-allowlist'
  | 'no-principal'
  | 'user-not-listed'
  | 'profile-not-listed'
  | 'unreadable'
  /** Expired, but not removable by this process: nobody passes, whatever it allows. */
  | 'overdue'
  | 'top-level-disagrees';

/** What one hold decides for one applicant. */
export interface Ruling {
  readonly scope: Scope;
  readonly hold: Hold;
  readonly verdict: 'admits' | 'denies';
  readonly because: Because;
}

export type Decision =
  | { readonly admitted: true }
  | { readonly admitted: false; readonly denials: readonly Ruling[] };

/** Admitted iff no hold of any scope denies. The order of scopes and holds never matters. */
export function admit(states: readonly ScopeState[], applicant: Applicant): Decision {
  const denials: Ruling[] = [];
  for (const state of states) {
    for (const ruling of rule(state, applicant)) {
      if (ruling.verdict === 'denies') denials.push(ruling);
    }
  }
  return denials.length === 0 ? { admitted: true } : { admitted: false, denials };
}

/** What each hold of one scope decides, in the order in which they stand. */
export function rule({ scope, check }: ScopeState, applicant: Applicant): Ruling[] {
  if (!check.engaged) return [];
  // The top level is all that older readers see. Where it admits fewer than the holds, they deny,
  // and so do we.
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
