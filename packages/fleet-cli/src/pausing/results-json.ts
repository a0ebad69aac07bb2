/**
 * The holds that a call placed, as JSON. The keys are part of the contract: docs/json.md describes each.
 */
import { couldNotLook } from '@fleet-estop/sentinel-core';
import { bodyJson } from '../dry-run/text.ts';
import { mayPass, noLongerAllowed } from '../fleet/allowlist.ts';
import { liftCommand } from '../fleet/hold-text.ts';
import { allowJson, holdJson, scopeJson } from '../fleet/json.ts';
import { replacedJson } from '../fleet/replaced-text.ts';
import type { Session } from '../fleet/session.ts';
import type { Json } from '../text/json.ts';
import { type Pausing, stillStands } from './pause-scope.ts';

export function pausingJson(session: Session, pausing: Pausing): Json {
  const { target, result, alreadyHeld, before, after, covers } = pausing;
  const { root, nowMs } = session;
  const shared = { ...scopeJson(target.scope), covers, ...bodyJson(session, target.scope) };
  if ('unexpectedError' in result) {
    return {
      ...shared,
      armed: false,
      engaged: null,
      why: result.unexpectedError,
      ...NOTHING_ARMED,
    };
  }
  const { generation } = result;
  const holds = result.holds.map((hold) => holdJson(hold, nowMs));
  if (!result.armed) {
    const isSeen = result.holds.some(({ unreadable }) => !couldNotLook(unreadable));
    const { why } = result;
    const engaged = result.engaged && !isSeen ? null : result.engaged;
    return { ...shared, armed: false, engaged, why, ...NOTHING_ARMED, generation, holds };
  }
  return {
    ...shared,
    armed: true,
    already_held: alreadyHeld,
    engaged: after[0]?.check.engaged ?? null,
    why: stillStands(result, after) ? (result.why ?? null) : 'overtaken',
    hold: holdJson(result.hold, nowMs),
    ...replacedJson(result.hold, result.replaced, nowMs),
    degraded: result.degraded ?? null,
    reason_shortened: result.shortened === true,
    may_pass: allowJson(mayPass(after)),
    no_longer_passes: allowJson(noLongerAllowed(before, after[0])),
    lift_command: liftCommand(root, target.scope, result.hold),
    generation,
    holds,
  };
}

const NOTHING_ARMED = {
  already_held: false,
  hold: null,
  ...replacedJson(null, null, 0),
  degraded: null,
  reason_shortened: false,
  may_pass: null,
  no_longer_passes: null,
  lift_command: null,
  generation: null,
  holds: [],
};
