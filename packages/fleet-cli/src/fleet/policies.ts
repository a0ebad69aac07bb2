/**
 * Checks the policies of `fleet.yaml` before anything is written; a violation refuses the whole call.
 * A `fleet.yaml` that cannot be read refuses nothing, and a warning is printed: only a valid rule may block
 * an emergency stop, never a mistake in the file.
 */
import { expiryMs, FleetError } from '@fleet-estop/sentinel-core';
import type { PauseRequest, Violation } from '@fleet-estop/settings';
import type { Deadline } from '../cli/deadline.ts';
import { visible } from '../text/visible.ts';
import { readFleetFile } from './settings.ts';

export interface PolicyCheck {
  /** Whether `fleet.yaml` could be used. */
  readonly settings: 'absent' | 'read' | 'rejected';
  /** For stderr. */
  readonly notices: readonly string[];
}

/** The time to live of a deadline that is kept: there is one, and this call does not choose it. */
const KEPT_MS = 0;

/**
 * Throws VALUE_INVALID if one of the pauses violates a policy. `planned` is called only if there are
 * policies.
 */
export async function requirePolicies(
  root: string,
  planned: () => readonly PauseRequest[],
): Promise<PolicyCheck> {
  const file = await readFleetFile(root);
  if (file.state === 'absent') return { settings: 'absent', notices: [] };
  if (file.state === 'rejected') return notApplied(file.lines);
  const { settings } = file;
  if (settings.policies === undefined) return { settings: 'read', notices: [] };
  const violations = new Map<string, Violation>();
  try {
    const { checkPolicies } = await import('@fleet-estop/settings');
    for (const violation of planned().flatMap((pause) => checkPolicies(settings, pause))) {
      violations.set(violation.message, violation);
    }
  } catch (error) {
    return notApplied([visible(error instanceof Error ? error.message : String(error))]);
  }
  if (violations.size > 0) throw violated([...violations.values()]);
  return { settings: 'read', notices: [] };
}

const notApplied = (lines: readonly string[]): PolicyCheck => ({
  settings: 'rejected',
  notices: [
    "warning: fleet.yaml cannot be used, so this fleet's policies are NOT applied:",
    ...lines.map((line) => `  ${line}`),
  ],
});

function violated(violations: readonly Violation[]): FleetError {
  const names = violations.map(({ policy }) => `\`${policy}\``).join(', ');
  const messages = violations.map(({ message }) => message).join('; ');
  return new FleetError('VALUE_INVALID', `${messages} (${names} in fleet.yaml)`, {
    hint: violations.map(({ hint }) => hint).join('; '),
  });
}

/**
 * The time to live that policies check. A deadline later than any date gives two values, because it counts
 * both as too long and as none.
 */
export function ttlsOf(deadline: Deadline, kept: string | null, nowMs: number): (number | null)[] {
  const { expiresAt, beyondDates } = deadline;
  if (beyondDates !== undefined) return [Number.POSITIVE_INFINITY, null];
  if (expiresAt === undefined) return [kept === null ? null : KEPT_MS];
  const deadlineMs = expiresAt === null ? null : expiryMs(expiresAt);
  return [deadlineMs === null ? null : deadlineMs - nowMs];
}
