/**
 * Reads the scopes of a chain, so that a hold that moves between two of them is not missed.
 * What the states mean for work is `ask.ts`.
 */
import type { ScopeState } from '../decide/admit.ts';
import { check } from '../disk/check.ts';
import type { DiskPort } from '../disk/port.ts';
import type { Scope } from '../model/scope.ts';

/**
 * The state of each scope, in their order. INVARIANT 3: meanwhile a hold can move from a scope that is read
 * later to one that was read before: placed there, and then lifted here. So if nothing holds, all but the
 * last are read again. Decision: `2026-11-30-a-hold-that-moves.md`. Throws nothing.
 */
export function readChain(disk: DiskPort, scopes: readonly Scope[]): ScopeState[] {
  const read = (scope: Scope): ScopeState => ({ scope, check: check(disk, scope.dir) });
  const states = scopes.map(read);
  if (states.some((state) => state.check.engaged)) return states;
  return [...scopes.slice(0, -1).map(read), ...states.slice(-1)];
}
