/**
 * Compares two reads of a profile and lists the holds that ended in between, and how.
 * Listeners are notified by `changes.ts`; expiries are logged by `expiry-log.ts`.
 */
import {
  couldNotLook,
  formatNearestInstant,
  type Hold,
  type Scope,
  type ScopeCheck,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import type { EndedHold } from './gate.ts';

/** `before` and the returned `known` hold the last readable state of each scope. */
export function endedHolds(
  before: readonly ScopeState[],
  scopes: readonly ScopeState[],
  nowMs: number,
): { readonly ended: readonly EndedHold[]; readonly known: readonly ScopeState[] } {
  const known = scopes.map((state) =>
    isHidden(state.check) ? (before.find(({ scope }) => isIn(state, scope)) ?? state) : state,
  );
  const ended = before.flatMap(({ scope, check }) => {
    const now = known.find((state) => isIn(state, scope));
    const current = holdsOf(now?.check);
    return now === undefined
      ? []
      : holdsOf(check)
          .filter(({ id }) => !current.some((it) => it.id === id))
          .map((hold) => endOf(hold, scope, endedBy(hold, current, nowMs)));
  });
  return { ended, known };
}

function endOf(
  { id, holder, reason, expiresAtMs }: Hold,
  { kind }: Scope,
  by: EndedHold['by'],
): EndedHold {
  const expiresAt = expiresAtMs === null ? null : formatNearestInstant(expiresAtMs);
  return { scope: kind, id, holder, reason, expiresAt, by };
}

function endedBy(hold: Hold, current: readonly Hold[], nowMs: number): EndedHold['by'] {
  const isAgain = hold.holder !== null && current.some(({ holder }) => holder === hold.holder);
  if (isAgain) return 'replaced';
  return hold.expiresAtMs !== null && hold.expiresAtMs <= nowMs ? 'expired' : 'lifted';
}

const isIn = (state: ScopeState, { dir }: Scope): boolean => state.scope.dir === dir;

/** A scope that cannot be read hides its holds; they have not ended. */
const isHidden = (check: ScopeCheck): boolean => check.engaged && couldNotLook(check.unreadable);

const holdsOf = (check: ScopeCheck | undefined): readonly Hold[] =>
  check?.engaged === true && !isHidden(check) ? check.holds : [];
