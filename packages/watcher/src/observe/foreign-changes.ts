/**
 * Writes journal lines for what other tools did to holds, since they keep no journal here, and for
 * deadlines that passed while other holds remained.
 * `state/arrivals.ts` and `state/departures.ts` decide whether another tool did it.
 */

import type { HoldView } from '@fleet-estop/protocol';
import { type Actor, appendJournal } from '@fleet-estop/sentinel-core';
import type { ScopeState } from '../state/fleet-state.ts';

export type RecordForeign = (
  /** `expire`: no actor, and nobody else records it. */
  event: 'foreign-arm' | 'foreign-lift' | 'expire',
  changes: readonly {
    readonly scope: Pick<ScopeState, 'dir' | 'profile' | 'generation'>;
    readonly hold: Pick<HoldView, 'id' | 'holder' | 'reason' | 'expires_at'>;
  }[],
) => void;

/** The actor of these lines is the observer; who made the change is unknown. */
export function foreignChanges(
  root: string,
  actor: Actor,
  log: { warn(fields: object, message: string): void },
): RecordForeign {
  return (event, changes) => {
    for (const { scope, hold } of changes) {
      const { id, holder, reason, expires_at: expiresAt } = hold;
      const journaled = appendJournal(root, {
        event,
        scope: scope.dir,
        ...(scope.profile === null ? {} : { profile: scope.profile }),
        holds: [{ id, holder, reason, expiresAt }],
        generation: event === 'foreign-arm' ? scope.generation : null,
        actor: { ...actor, via: `${actor.via}, which saw it` },
      });
      if (!journaled.written) {
        log.warn(
          { dir: scope.dir, event, why: journaled.why },
          'the journal line could not be written',
        );
      }
    }
  };
}
