/**
 * What a fleet's policies say about one pause that is about to be made.
 * Whether a violation refuses the pause is for the caller.
 */
import type { FleetSettings } from './parse/fleet-file.ts';
import { shown } from './problem.ts';
import { fits } from './wildcard.ts';

export interface PauseRequest {
  readonly holder: string;
  readonly reason: string | null;
  /** null: without a deadline. */
  readonly ttlMs: number | null;
}

export interface Violation {
  readonly policy: keyof NonNullable<FleetSettings['policies']>;
  readonly message: string;
  readonly hint: string;
}

/**
 * Every policy that the request violates, in the order they are documented; none is the usual
 * answer. `max_ttl` bounds a deadline that is given: whether one must be given is
 * `require_ttl_for`.
 */
export function checkPolicies(
  { policies = {} }: FleetSettings,
  { holder, reason, ttlMs }: PauseRequest,
): readonly Violation[] {
  const violations: Violation[] = [];
  if (policies.require_reason === true && (reason === null || reason.trim() === '')) {
    violations.push({
      policy: 'require_reason',
      message: 'a pause in this fleet needs a reason',
      hint: 'say why with --reason',
    });
  }
  const pattern = policies.require_ttl_for?.find((candidate) => fits(candidate, holder));
  if (pattern !== undefined && ttlMs === null) {
    violations.push({
      policy: 'require_ttl_for',
      message: `a pause by ${shown(holder)} needs a deadline, as by every ${shown(pattern)}`,
      hint: 'say until when with --ttl or --until',
    });
  }
  const { max_ttl: longest } = policies;
  if (longest !== undefined && ttlMs !== null && ttlMs > longest.ms) {
    violations.push({
      policy: 'max_ttl',
      message: `a pause in this fleet may last ${shown(longest.text)} at most`,
      hint: 'choose an earlier deadline, and extend it when it is needed for longer',
    });
  }
  return violations;
}
