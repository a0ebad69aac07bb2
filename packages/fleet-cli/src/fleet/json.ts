/**
 * Holds and scopes as JSON, the same in every `--json` document. The keys are part of the contract, and
 * docs/json.md describes them.
 */
import type { Allow, Hold, RootChoice, Scope, ScopeState } from '@fleet-estop/sentinel-core';
import type { Json } from '../text/json.ts';
import { mayPass } from './allowlist.ts';
import { isHeld, sentinelOf, unreadableIn } from './state.ts';

export const rootJson = ({ root, source }: RootChoice): { [key: string]: Json } => ({
  root,
  root_source: source,
});

export const scopeJson = (scope: Scope): { [key: string]: Json } => ({
  kind: scope.kind,
  profile: scope.profile ?? null,
  sentinel: sentinelOf(scope),
});

export const holdJson = (hold: Hold, nowMs: number): Json => ({
  id: hold.id,
  holder: hold.holder,
  reason: hold.reason,
  engaged_at: hold.engagedAt,
  expires_at: hold.expiresAt,
  seconds_left:
    hold.expiresAtMs === null ? null : Math.max(0, Math.floor((hold.expiresAtMs - nowMs) / 1000)),
  allow: allowJson(hold.allow),
  actor: hold.actor === null ? null : { ...hold.actor },
  unreadable: hold.unreadable ?? null,
});

export const allowJson = (allow: Allow | null): Json =>
  allow === null ? null : { user_ids: allow.userIds, profiles: allow.profiles ?? null };

/** One scope and its holds. */
export function stateJson(state: ScopeState, nowMs: number): Json {
  const { scope, check } = state;
  return {
    ...scopeJson(scope),
    state: check.engaged ? 'paused' : 'free',
    holds: check.engaged ? check.holds.map((hold) => holdJson(hold, nowMs)) : [],
    generation: check.engaged ? check.generation : null,
    may_pass: check.engaged ? allowJson(mayPass([state])) : null,
    unreadable: unreadableIn(state),
    expired: check.engaged ? check.overdue === true : check.expired,
    under_way: check.engaged && check.aside === true,
  };
}

/** The resulting state of a whole chain. */
export const chainJson = (states: readonly ScopeState[]): { [key: string]: Json } => ({
  state: isHeld(states) ? 'paused' : 'free',
  held_by: states.filter(({ check }) => check.engaged).map(({ scope }) => scope.kind),
  may_pass: isHeld(states) ? allowJson(mayPass(states)) : null,
});
