/**
 * Writes into the journal what other tools did to holds, which keep no journal of their own here, and
 * which deadlines passed while others stood.
 * Whether another tool did it is judged by `state/arrivals.ts` and `state/departures.ts`.
 */
import { type Actor, appendJournal } from '@fleet-estop/sentinel-core';
import type { HoldView, ScopeState } from '../state/fleet-state.ts';

export type RecordForeign = (
  /** `expire`: nobody did it, and nobody else writes it down. */
  event: 'foreign-arm' | 'foreign-lift' | 'expire',
  changes: readonly {
    readonly scope: Pick<ScopeState, 'dir' | 'profile' | 'generation'>;
    readonly hold: Pick<HoldView, 'id' | 'holder' | 'reason' | 'expires_at'>;
  }[],
) => void;

/** The actor of these lines is who saw it, not who did it: nobody knows that. */
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
        log.warn({ dir: scope.dir, event, why: journaled.why }, 'that is missing in the journal');
      }
    }
  };
}
