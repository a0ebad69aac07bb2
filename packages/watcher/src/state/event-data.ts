/**
 * The subject of an event about a scope, and its data about a hold.
 */

import type { HoldView } from '@fleet-estop/protocol';
import type { FleetEvent } from './event-log.ts';
import type { ScopeState } from './fleet-state.ts';

export const subjectOf = (scope: ScopeState): string =>
  scope.profile === null ? scope.kind : `profile/${scope.profile}`;

/** The event data about a hold. */
export const holdData = (scope: ScopeState, hold: HoldView): FleetEvent['data'] => ({
  scope: scope.kind,
  profile: scope.profile,
  dir: scope.dir,
  hold,
});
