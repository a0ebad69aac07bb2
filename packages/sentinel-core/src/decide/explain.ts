/**
 * Explains to people why work is held, hold by hold.
 * `admit.ts` decides.
 */
import { type Applicant, type Ruling, rule, type ScopeState } from './admit.ts';

/**
 * Every hold of the chain, nearest scope first as in `states`, and what it decides for this
 * applicant. Pure.
 */
export function explain(states: readonly ScopeState[], applicant: Applicant): Ruling[] {
  return states.flatMap((state) => rule(state, applicant));
}
