/**
 * Checks a planned pause against the fleet's policies.
 * Whether a violation refuses the pause is decided by the caller.
 */
import type { FleetSettings } from './parse/fleet-file.ts';
import { shown } from './problem.ts';
import { fits } from './wildcard.ts';

export interface PauseRequest {
  readonly holder: string;
  readonly reason: string | null;
  /** Milliseconds until the deadline; null if there is none. */
  readonly ttlMs: number | null;
}

export interface Violation {
  readonly policy: keyof NonNullable<FleetSettings['policies']>;
  readonly message: string;
  readonly hint: string;
}

/**
 * Every policy that the request violates, in documented order; empty if none. `max_ttl` only limits a
 * deadline that is given; `require_ttl_for` requires one.
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
      hint: 'give one with --reason',
    });
  }
  const pattern = policies.require_ttl_for?.find((candidate) => fits(candidate, holder));
  if (pattern !== undefined && ttlMs === null) {
    violations.push({
      policy: 'require_ttl_for',
      message: `a pause by ${shown(holder)} needs a deadline: the holder matches ${shown(pattern)}`,
      hint: 'give one with --ttl or --until',
    });
  }
  const { max_ttl: longest } = policies;
  if (longest !== undefined && ttlMs !== null && ttlMs > longest.ms) {
    violations.push({
      policy: 'max_ttl',
      message: `a pause in this fleet may last ${shown(longest.text)} at most`,
      hint: 'choose an earlier deadline, and extend the pause later if needed',
    });
  }
  return violations;
}
