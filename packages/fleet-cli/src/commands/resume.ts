/**
 * `fleet resume`: lifts holds in the root or in profiles, looks again, and says what still holds.
 * How that is said is `render/resume.ts`.
 */
import {
  DEFAULT_LANE,
  type Hold,
  type LiftResult,
  type LiftSelection,
  lift,
  newOperation,
  type RetireResult,
  retire,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import type { Command } from 'commander';
import { actorOf } from '../actor.ts';
import type { Answer } from '../answer.ts';
import { EXIT, type ExitCode, worstOf } from '../exit-codes.ts';
import { defaultHolder, HOLDER_RULE } from '../holder.ts';
import { flag, valued } from '../input/flags.ts';
import { addPatience, type PatienceOptions, readPatience } from '../input/patience.ts';
import { refuseDefaultLane, type SelectionOptions } from '../input/selection.ts';
import { readHolder, refusal } from '../input/values.ts';
import { addWait, readWaitMs, type WaitOptions } from '../input/wait.ts';
import { rehearsing } from '../rehearsal/rehearse.ts';
import { markDryRun } from '../render/dry-run.ts';
import type { Json } from '../render/json.ts';
import { resumeDocument, resumeLines, resumeNotices } from '../render/resume.ts';
import { type GlobalOptions, openForWriting, openSession, type Session } from '../session.ts';
import { isHeld, type Lane, notSeenIn, readLane, readRoot, readScope } from '../state.ts';
import { planUndo, type Step } from '../undo.ts';
import {
  addSelection,
  attempt,
  dryRunOption,
  record,
  type Surprise,
  type Target,
  targetOf,
  targetsOf,
  type Verb,
} from './verb.ts';

interface ResumeOptions extends GlobalOptions, SelectionOptions, PatienceOptions, WaitOptions {
  readonly as?: string;
  readonly hold?: string;
  readonly everyone?: true;
  readonly undo?: string;
  readonly ifGeneration?: string;
  readonly dryRun?: true;
}

/** `replaced`: written again since. `changed`: it stood before the operation, which wrote it again. */
export interface Left {
  readonly why: 'replaced' | 'changed';
  readonly holds: readonly Hold[];
}

export interface Beyond {
  readonly profile: string;
  readonly holds: readonly Hold[];
}

/** What became of one scope. */
export interface Resuming {
  readonly target: Target;
  readonly asked: LiftSelection;
  /** When it was begun, milliseconds since the epoch. */
  readonly beganMs: number;
  readonly result: LiftResult | Surprise;
  /** Where only something expired was left, it is removed. */
  readonly retired: RetireResult | null;
  /** Of an undo: what stands there of the same holder, and so was left. */
  readonly left: Left | null;
  /** The whole chain afterwards, nearest first. */
  readonly after: readonly ScopeState[];
}

export const resume: Verb = {
  description:
    "Lift one's own hold from the whole fleet's root, or from the profiles named with -p; a profile's resume never lifts the root.",
  examples: [
    'fleet resume',
    'fleet resume -p lane-a',
    'fleet resume --as deploy',
    'fleet resume --wait',
    'fleet resume -p lane-a --everyone',
    'fleet resume --undo op-3f9a1c02b7d4',
  ],
  configure,
  run,
};

function configure(command: Command): void {
  addSelection(command, 'resume this profile instead of the root (repeatable)');
  command
    .addOption(
      valued('--as <holder>', `whose hold to lift (default: ${HOLDER_RULE})`, {
        read: readHolder,
      }),
    )
    .addOption(valued('--hold <id>', 'lift this one hold').conflicts(['as', 'everyone']))
    .addOption(flag('--everyone', "lift every holder's hold").conflicts('as'))
    .addOption(
      valued('--undo <operation>', 'lift exactly what that operation placed').conflicts([
        'as',
        'hold',
        'everyone',
        'ifGeneration',
        'profile',
        'label',
        'allProfiles',
        'allowMissing',
      ]),
    )
    .addOption(
      valued('--if-generation <generation>', 'only if this is still the generation that stands'),
    )
    .addOption(dryRunOption());
  addPatience(command);
  addWait(command);
}

async function run(command: Command, nowMs: number): Promise<Answer> {
  const options = command.opts<ResumeOptions>();
  const selection = selectionOf(options);
  const timeoutMs = readWaitMs(options);
  refuseGeneration(options);
  const { session, steps } = open(options, nowMs, selection);
  refuseDefaultLane(session.selection.profiles ?? [], 'resume');

  const recorded: string[] = [];
  const resumings = steps.map((step) => {
    const resuming = resumeOne(session, step, options);
    recorded.push(...journal(session, resuming));
    return resuming;
  });
  const beyond = options.label === undefined ? [] : beyondSelection(session, selection);
  const { undo = null } = options;
  const operation = resumings.some(hasChanged) ? session.operation : null;
  const stillHeld = heldElsewhere(session, steps);
  const facts = { session, resumings, stillHeld, beyond, operation, undo };
  const done: Answer = {
    exit: worstOf(resumings.map(exitOfResuming)),
    document: () => resumeDocument(facts, null),
    lines: (view) => markDryRun(session, resumeLines(facts, view)),
    notices: markDryRun(session, [...resumeNotices(facts), ...recorded]),
  };
  // Nobody waits for what is still held.
  const isAllHeld = resumings.length > 0 && resumings.every(({ after }) => isHeld(after));
  if (timeoutMs === null || isAllHeld) return done;
  const [{ answerAfterWaiting }, { resumeGoal }] = await Promise.all([
    import('../watcher/answer-after-waiting.ts'),
    import('../watcher/resume-goal.ts'),
  ]);
  const goal = resumings.length === 0 ? null : resumeGoal(session, resumings, facts.stillHeld);
  const document = (wait: Json) => resumeDocument(facts, wait);
  return answerAfterWaiting({
    session,
    options,
    awaiting: 'resume',
    goal,
    timeoutMs,
    done,
    document,
  });
}

/** What an operation placed says by itself which scopes are meant. */
function open(
  options: ResumeOptions,
  nowMs: number,
  selection: LiftSelection,
): { session: Session; steps: readonly Step[] } {
  const rehearsed = (session: Session) => (options.dryRun ? rehearsing(session) : session);
  if (options.undo === undefined) {
    const session = rehearsed(openForWriting(options, nowMs, 'resume'));
    return { session, steps: targetsOf(session).map((target) => ({ target, asked: selection })) };
  }
  const opened = { ...openSession(options, nowMs), operation: newOperation() };
  const { steps, gone } = planUndo(opened, options.undo);
  const session = { ...opened, selection: { ...opened.selection, missing: gone } };
  return { session: rehearsed(session), steps };
}

function resumeOne(session: Session, step: Step, options: ResumeOptions): Resuming {
  const { disk } = session;
  const { target, asked, placed } = step;
  const { dir } = target.scope;
  const { ifGeneration } = options;
  const fence = ifGeneration === undefined ? {} : { ifGeneration };
  const patience = readPatience(options);
  const beganMs = Date.now();
  const result: LiftResult | Surprise = placed?.onlyChanged
    ? { lifted: false, why: 'changed', remaining: [] }
    : attempt(() => lift(disk, dir, asked, fence, patience));
  // Readers of the oldest form are held while the file exists, expired or not.
  const expired = !('surprise' in result) && !result.lifted && result.why === 'expired';
  const retired = expired ? retire(disk, dir, { certain: true }) : null;
  // Whatever was reported: the answer is what stands on disk now.
  const after = target.chain.map((scope) => readScope(disk, scope));
  const left = placed === undefined ? null : leftOf(placed, result, after);
  return { target, asked, beganMs, result, retired, left, after };
}

function leftOf(
  { holder, onlyChanged }: NonNullable<Step['placed']>,
  result: Resuming['result'],
  [own]: readonly ScopeState[],
): Left | null {
  if ('surprise' in result || result.lifted || !own?.check.engaged) return null;
  const holds = own.check.holds.filter((hold) => hold.holder === holder);
  if (holds.length === 0) return null;
  return { why: onlyChanged ? 'changed' : 'replaced', holds };
}

const hasChanged = ({ result, retired }: Resuming): boolean =>
  retired?.retired === true || (!('surprise' in result) && result.lifted);

/** After the root was resumed: the profiles that have holds of their own all the same. */
function heldElsewhere(session: Session, steps: readonly Step[]): Lane[] {
  const { root, disk, selection } = session;
  if (steps.every(({ target: { profile } }) => profile !== null)) return [];
  const rootLane = readRoot(disk, root.root);
  return selection.listing.profiles
    .map((profile) => readLane(disk, rootLane, root.root, profile))
    .filter(({ states: [own] }) => own?.scope.kind === 'profile' && isHeld([own]));
}

/** Lanes without the labels that were asked for, in which this holder still holds: a label may have moved. */
function beyondSelection(session: Session, selection: LiftSelection): Beyond[] {
  const { root, disk } = session;
  if (!('holder' in selection)) return [];
  const selected = new Set(session.selection.profiles?.map(({ name }) => name));
  return session.selection.listing.profiles.flatMap(({ name }) => {
    const [target] = selected.has(name) ? [] : targetOf(root.root, name);
    if (target === undefined || name === DEFAULT_LANE) return [];
    const { check } = readScope(disk, target.scope);
    const own = ({ holder }: Hold) => holder === selection.holder;
    const holds = check.engaged ? check.holds.filter(own) : [];
    return holds.length === 0 ? [] : [{ profile: name, holds }];
  });
}

function exitOfResuming({ asked, result, left, after }: Resuming): ExitCode {
  if ('surprise' in result) return EXIT.notAsAsked;
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

function journal(session: Session, { target, result, retired, after }: Resuming): string[] {
  const [own] = after;
  const shared = {
    scope: target.scope.dir,
    ...(target.profile === null ? {} : { profile: target.profile }),
    generation: own?.check.engaged ? own.check.generation : null,
    actor: actorOf('resume'),
  };
  if (!('surprise' in result) && result.lifted) {
    return record(session, { ...shared, event: 'lift', holds: result.holds });
  }
  if (retired?.retired)
    return record(session, { ...shared, event: 'retire', holds: retired.holds });
  return [];
}

function selectionOf({ as: holder, hold, everyone }: ResumeOptions): LiftSelection {
  if (hold !== undefined) return { id: hold };
  if (everyone) return { everyone: true };
  // What nobody signed is whoever's who is in charge here; whoever names a holder means that one's.
  return holder === undefined ? { holder: defaultHolder(), anonymous: true } : { holder };
}

function refuseGeneration({ ifGeneration, profile = [] }: ResumeOptions): void {
  if (ifGeneration === undefined) return;
  if (ifGeneration === 'none') {
    throw refusal('`--if-generation none` leaves nothing to lift', 'name the generation to lift');
  }
  if (profile.length < 2) return;
  throw refusal('`--if-generation` with several `-p`', 'a generation is one scope’s: name one');
}
