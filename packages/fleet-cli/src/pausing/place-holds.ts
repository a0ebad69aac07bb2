/**
 * Places one holder's holds in several scopes: policies first, then scope by scope, each with its journal
 * record. One scope is `pause-scope.ts`; what is said of it is `text.ts`, `notices.ts` and
 * `results-json.ts`.
 */
import type { Patience } from '@fleet-estop/sentinel-core';
import type { PauseRequest } from '@fleet-estop/settings';
import type { Deadline } from '../cli/deadline.ts';
import { requirePolicies, ttlsOf } from '../fleet/policies.ts';
import type { Session } from '../fleet/session.ts';
import { readScope } from '../fleet/state.ts';
import type { Target } from '../fleet/targets.ts';
import { type PauseFacts, pauseNotices } from './notices.ts';
import { hasWritten, type NamedArmRequest, pauseOne, recordPause } from './pause-scope.ts';

export interface HoldsToPlace {
  readonly targets: readonly Target[];
  readonly request: NamedArmRequest;
  readonly deadline: Deadline;
  readonly patience: Partial<Patience>;
  /** Show all details of each hold. */
  readonly verbose: boolean;
}

export interface PlacedHolds {
  readonly facts: PauseFacts;
  /** For stderr. */
  readonly notices: readonly string[];
}

/** Throws VALUE_INVALID, before anything is written, if a policy is violated. */
export async function placeHolds(session: Session, wanted: HoldsToPlace): Promise<PlacedHolds> {
  const { targets, request, deadline, patience, verbose } = wanted;
  const policyCheck = await requirePolicies(session.root.root, () =>
    targets.flatMap((target) => plannedFor(session, target, request, deadline)),
  );
  const recorded: string[] = [];
  const pausings = targets.map((target) => {
    const pausing = pauseOne(session, target, request, patience);
    recorded.push(...recordPause(session, pausing, request.actor));
    return pausing;
  });
  const operation = pausings.some(hasWritten) ? session.operation : null;
  const { settings } = policyCheck;
  const facts = { session, pausings, deadline, verbose, settings, operation };
  return { facts, notices: [...pauseNotices(facts), ...policyCheck.notices, ...recorded] };
}

/** The hold that would result, including what is kept of this holder's current hold. Policies check this. */
function plannedFor(
  { disk, nowMs }: Session,
  { scope }: Target,
  { holder, reason }: NamedArmRequest,
  deadline: Deadline,
): PauseRequest[] {
  const { check } = readScope(disk, scope);
  const kept = check.engaged ? check.holds.find((hold) => hold.holder === holder) : undefined;
  return ttlsOf(deadline, kept?.expiresAt ?? null, nowMs).map((ttlMs) => ({
    holder,
    reason: reason ?? kept?.reason ?? null,
    ttlMs,
  }));
}
