/**
 * Why work is held, hold by hold, for people.
 */
import { type Applicant, type Ruling, rule, type ScopeState } from './admit.ts';

/** Every hold of the chain in the order it was found, and what it decides for this applicant. */
export function explain(states: readonly ScopeState[], applicant: Applicant): Ruling[] {
  return states.flatMap((state) => rule(state, applicant));
}
