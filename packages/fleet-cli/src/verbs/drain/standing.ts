/**
 * What was held before `fleet drain` came, by whatever hold: nothing is placed there, and the answer says whose
 * hold stands.
 */
import type { ScopeState } from '@fleet-estop/sentinel-core';
import { mayPass } from '../../fleet/allowlist.ts';
import { headline, profileName, scopeName, whoMayPass } from '../../fleet/hold-text.ts';
import { chainJson, holdJson, scopeJson } from '../../fleet/json.ts';
import type { Session } from '../../fleet/session.ts';
import { isHeld, readScope } from '../../fleet/state.ts';
import type { Target } from '../../fleet/targets.ts';
import type { Json } from '../../text/json.ts';
import type { View } from '../../text/view.ts';
import { listed } from '../../watcher-client/gateways-text.ts';

export interface Standing {
  readonly target: Target;
  /** Its whole chain, nearest first. */
  readonly states: readonly ScopeState[];
}

export const standingIn = ({ disk }: Session, targets: readonly Target[]): Standing[] =>
  targets
    .map((target) => ({ target, states: target.chain.map((scope) => readScope(disk, scope)) }))
    .filter(({ states }) => isHeld(states));

/** One line for all that the same holds keep. */
export function standingLines(standing: readonly Standing[], { paint }: View): string[] {
  const byHolds = new Map<string, string[]>();
  for (const { target, states } of standing) {
    const who = holdersText(states);
    const name = target.profile === null ? 'the whole fleet' : profileName(target.profile);
    byHolds.set(who, [...(byHolds.get(who) ?? []), name]);
  }
  return [...byHolds].map(
    ([who, names]) =>
      `${paint('yellow', 'ALREADY PAUSED')} ${listed(names)}, so no hold was placed: ${who}`,
  );
}

function holdersText(states: readonly ScopeState[]): string {
  const holds = states.flatMap(({ scope, check }) =>
    check.engaged ? check.holds.map((hold) => `${headline(hold)} [${scopeName(scope)}]`) : [],
  );
  const passes = whoMayPass(mayPass(states));
  const passing = passes === 'nobody' ? '' : `; ${passes} may pass, and begin new work meanwhile`;
  return `${holds.join('; ')}${passing}`;
}

export const standingJson = ({ nowMs }: Session, { target, states }: Standing): Json => ({
  profile: target.profile,
  ...chainJson(states),
  holds: states.flatMap(({ scope, check }) =>
    check.engaged
      ? check.holds.map((hold) => ({ scope: scopeJson(scope), hold: holdJson(hold, nowMs) }))
      : [],
  ),
});
