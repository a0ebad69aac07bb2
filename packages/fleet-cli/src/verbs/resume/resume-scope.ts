/**
 * Resumes one scope: the result, its exit code and its journal record.
 * Reading the options is `command.ts`.
 */
import {
  type Hold,
  type LiftResult,
  type LiftSelection,
  lift,
  lostFolder,
  type RetireResult,
  readChain,
  retire,
  type Scope,
  type ScopeState,
  unknownState,
} from '@fleet-estop/sentinel-core';
import { EXIT, type ExitCode } from '../../cli/exit-codes.ts';
import { type PatienceOptions, readPatience } from '../../cli/patience.ts';
import { actorOf } from '../../fleet/actor.ts';
import type { Session } from '../../fleet/session.ts';
import { isHeld, notSeenIn } from '../../fleet/state.ts';
import {
  attempt,
  recordInJournal,
  type Target,
  type UnexpectedError,
} from '../../fleet/targets.ts';
import {
  choiceNotices,
  type MissedOptions,
  type WrittenChoice,
  withdrawChoice,
  writeChoice,
} from './missed.ts';
import type { Step } from './undo.ts';

/** The options that decide how a hold is lifted. */
export interface LiftHow extends PatienceOptions, MissedOptions {
  readonly ifGeneration?: string;
}

/**
 * Holds that an undo left. `replaced`: written again since. `changed`: the operation only changed an
 * older hold.
 */
export interface LeftHolds {
  readonly why: 'replaced' | 'changed';
  readonly holds: readonly Hold[];
}

export interface UnselectedHolds {
  readonly profile: string;
  readonly holds: readonly Hold[];
}

/** The result for one scope. */
export interface Resuming {
  readonly target: Target;
  readonly asked: LiftSelection;
  /** When the lift began, milliseconds since the epoch. */
  readonly beganMs: number;
  readonly result: LiftResult | UnexpectedError;
  /** The result of removing an expired sentinel; null: there was none. */
  readonly retired: RetireResult | null;
  /** With --undo: holds of the same holder that were left; null: none. */
  readonly left: LeftHolds | null;
  /** The whole chain afterwards, nearest first. */
  readonly after: readonly ScopeState[];
  /** For stderr: where the choice of --missed was not passed on. */
  readonly unchosen: readonly string[];
}

/** `LiftResult.why`: what becomes of missed work could not be written, so nothing was lifted. */
const UNWRITTEN = 'missed-unwritten';

export function resumeOne(session: Session, step: Step, options: LiftHow): Resuming {
  const { disk } = session;
  const { target, asked, placed } = step;
  const { dir } = target.scope;
  const { ifGeneration } = options;
  const fence = ifGeneration === undefined ? {} : { ifGeneration };
  const patience = readPatience(options);
  const lost = lostFolder(target.chain);
  const beganMs = Date.now();
  const choice = attempt(() => writeChoice(session, step, options));
  const result = ((): LiftResult | UnexpectedError => {
    if ('unexpectedError' in choice) return choice;
    if (choice.failure !== null) return { lifted: false, why: UNWRITTEN, remaining: [] };
    if (placed?.onlyChanged) return { lifted: false, why: 'changed', remaining: [] };
    return attempt(() => lift(disk, dir, asked, fence, patience));
  })();
  // Readers of the oldest form are held while the file exists, expired or not.
  const expired = !('unexpectedError' in result) && !result.lifted && result.why === 'expired';
  const retired = expired ? retire(disk, dir, { certain: true }) : null;
  // The answer is what is on disk now, whatever the lift reported.
  const read = readChain(disk, target.chain);
  // INVARIANT 2: a fleet that was moved away took its holds along.
  const why = lost();
  const after = why === null ? read : read.map((state) => asUnknown(state, target.scope, why));
  const left = placed === undefined ? null : leftOf(placed, result, after);
  const unchosen = unchosenBy(session, step, options, choice, result);
  return { target, asked, beganMs, result, retired, left, after, unchosen };
}

function unchosenBy(
  session: Session,
  step: Step,
  { missed }: LiftHow,
  choice: WrittenChoice | UnexpectedError,
  result: Resuming['result'],
): string[] {
  if ('unexpectedError' in choice) return [];
  attempt(() => withdrawChoice(session, step, choice));
  return choiceNotices(step.target.profile ?? 'the root', step, missed, choice, result);
}

/** The state of the chain, in which nothing is known of the scope `unknown`. */
const asUnknown = (state: ScopeState, unknown: Scope, why: string): ScopeState =>
  state.scope === unknown ? unknownState(unknown, why) : state;

function leftOf(
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

const isMeant =
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
