/**
 * Resumes one scope, and says what became of it. What is asked for is the command's.
 */
import {
  type Hold,
  type LiftResult,
  type LiftSelection,
  lift,
  type RetireResult,
  retire,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { EXIT, type ExitCode } from '../../cli/exit-codes.ts';
import { type PatienceOptions, readPatience } from '../../cli/patience.ts';
import { actorOf } from '../../fleet/actor.ts';
import type { Session } from '../../fleet/session.ts';
import { isHeld, notSeenIn, readScope } from '../../fleet/state.ts';
import {
  attempt,
  recordInJournal,
  type Target,
  type UnexpectedError,
} from '../../fleet/targets.ts';
import type { Step } from './undo.ts';

/** How a hold is lifted, by the options of the command. */
export interface LiftHow extends PatienceOptions {
  readonly ifGeneration?: string;
}

/** `replaced`: written again since. `changed`: it stood before the operation, which wrote it again. */
export interface LeftHolds {
  readonly why: 'replaced' | 'changed';
  readonly holds: readonly Hold[];
}

export interface UnselectedHolds {
  readonly profile: string;
  readonly holds: readonly Hold[];
}

/** What became of one scope. */
export interface Resuming {
  readonly target: Target;
  readonly asked: LiftSelection;
  /** When it was begun, milliseconds since the epoch. */
  readonly beganMs: number;
  readonly result: LiftResult | UnexpectedError;
  /** Where only something expired was left, it is removed. */
  readonly retired: RetireResult | null;
  /** Of an undo: what stands there of the same holder, and so was left. */
  readonly left: LeftHolds | null;
  /** The whole chain afterwards, nearest first. */
  readonly after: readonly ScopeState[];
}

export function resumeOne(session: Session, step: Step, options: LiftHow): Resuming {
  const { disk } = session;
  const { target, asked, placed } = step;
  const { dir } = target.scope;
  const { ifGeneration } = options;
  const fence = ifGeneration === undefined ? {} : { ifGeneration };
  const patience = readPatience(options);
  const beganMs = Date.now();
  const result: LiftResult | UnexpectedError = placed?.onlyChanged
    ? { lifted: false, why: 'changed', remaining: [] }
    : attempt(() => lift(disk, dir, asked, fence, patience));
  // Readers of the oldest form are held while the file exists, expired or not.
  const expired = !('unexpectedError' in result) && !result.lifted && result.why === 'expired';
  const retired = expired ? retire(disk, dir, { certain: true }) : null;
  // Whatever was reported: the answer is what stands on disk now.
  const after = target.chain.map((scope) => readScope(disk, scope));
  const left = placed === undefined ? null : leftOf(placed, result, after);
  return { target, asked, beganMs, result, retired, left, after };
}

export function leftOf(
  { holder, onlyChanged }: NonNullable<Step['placed']>,
  result: Resuming['result'],
  [own]: readonly ScopeState[],
): LeftHolds | null {
  if ('unexpectedError' in result || result.lifted || !own?.check.engaged) return null;
  const holds = own.check.holds.filter((hold) => hold.holder === holder);
  if (holds.length === 0) return null;
  return { why: onlyChanged ? 'changed' : 'replaced', holds };
}

export const hasWritten = ({ result, retired }: Resuming): boolean =>
  retired?.retired === true || (!('unexpectedError' in result) && result.lifted);

export function exitOfResuming({ asked, result, left, after }: Resuming): ExitCode {
  if ('unexpectedError' in result) return EXIT.notAsAsked;
  if (!result.lifted && result.why === 'superseded') return EXIT.lostCompareAndSet;
  if (!isHeld(after)) return EXIT.done;
  if (after.some((state) => notSeenIn(state) !== null)) return EXIT.unreadable;
  const [own] = after;
  const isBack = own?.check.engaged && own.check.holds.some(isMeant(asked));
  const isDone = (result.lifted && !isBack) || left?.why === 'changed';
  return isDone ? EXIT.othersHold : EXIT.notAsAsked;
}

export const isMeant =
  (selection: LiftSelection) =>
  ({ id, holder }: Hold): boolean => {
    if ('everyone' in selection) return true;
    return 'id' in selection ? id === selection.id : holder === selection.holder;
  };

export function recordResume(
  session: Session,
  { target, result, retired, after }: Resuming,
): string[] {
  const [own] = after;
  const shared = {
    scope: target.scope.dir,
    ...(target.profile === null ? {} : { profile: target.profile }),
    generation: own?.check.engaged ? own.check.generation : null,
    actor: actorOf('resume'),
  };
  if (!('unexpectedError' in result) && result.lifted) {
    return recordInJournal(session, { ...shared, event: 'lift', holds: result.holds });
  }
  if (retired?.retired)
    return recordInJournal(session, { ...shared, event: 'retire', holds: retired.holds });
  return [];
}
