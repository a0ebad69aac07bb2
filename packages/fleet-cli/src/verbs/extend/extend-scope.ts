/**
 * The result of `fleet extend` in one scope, its exit code and its journal record.
 * Moving the deadline is `extend-hold.ts`.
 */
import type { ScopeState } from '@fleet-estop/sentinel-core';
import { EXIT, type ExitCode } from '../../cli/exit-codes.ts';
import { actorOf } from '../../fleet/actor.ts';
import type { Session } from '../../fleet/session.ts';
import { notSeenIn } from '../../fleet/state.ts';
import { recordInJournal, type Target, type UnexpectedError } from '../../fleet/targets.ts';
import type { Extending } from './extend-hold.ts';

/** The result for one scope. */
export interface Extended {
  readonly target: Target;
  readonly result: Extending | UnexpectedError;
  /** The state of the scope afterwards. */
  readonly after: ScopeState;
}

export function exitOfExtended({ result, after }: Extended): ExitCode {
  if ('unexpectedError' in result) return EXIT.notAsAsked;
  if (result.extended) return EXIT.done;
  if (notSeenIn(after) !== null) return EXIT.unreadable;
  return result.why === 'conflict' ? EXIT.lostCompareAndSet : EXIT.notAsAsked;
}

export function recordExtension(session: Session, { target, result }: Extended): string[] {
  if ('unexpectedError' in result || !result.extended) return [];
  return recordInJournal(session, {
    event: 're-arm',
    scope: target.scope.dir,
    ...(target.profile === null ? {} : { profile: target.profile }),
    holds: [result.hold],
    generation: result.generation,
    actor: actorOf('extend'),
  });
}
