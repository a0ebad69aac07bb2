/**
 * `fleet resume`: lifts holds in the root or in profiles, reads the disk again, and reports what still holds.
 * One scope is `resume-scope.ts`; the output is `text.ts`, `notices.ts` and `document.ts`.
 */
import {
  DEFAULT_PROFILE,
  type Hold,
  type LiftSelection,
  newOperation,
} from '@fleet-estop/sentinel-core';
import type { Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { worstOf } from '../../cli/exit-codes.ts';
import { flag, valued } from '../../cli/flags.ts';
import { addPatience, type PatienceOptions } from '../../cli/patience.ts';
import { readHolder, usageError } from '../../cli/values.ts';
import { addSelection, dryRunOption, type Verb } from '../../cli/verb.ts';
import { addWait, readWaitMs, type WaitOptions } from '../../cli/wait.ts';
import { forDryRun } from '../../dry-run/session.ts';
import { markDryRun } from '../../dry-run/text.ts';
import { defaultHolder, HOLDER_RULE } from '../../fleet/holder.ts';
import { refuseDefaultProfile, type SelectionOptions } from '../../fleet/selection.ts';
import {
  type GlobalOptions,
  openForWriting,
  openSession,
  type Session,
} from '../../fleet/session.ts';
import {
  isHeld,
  type ProfileState,
  readProfileState,
  readRootState,
  readScope,
} from '../../fleet/state.ts';
import { targetOf, targetsOf } from '../../fleet/targets.ts';
import type { Json } from '../../text/json.ts';
import { resumeDocument } from './document.ts';
import { type MissedOptions, missedOption } from './missed.ts';
import { resumeNotices } from './notices.ts';
import {
  exitOfResuming,
  hasWritten,
  recordResume,
  resumeOne,
  type UnselectedHolds,
} from './resume-scope.ts';
import { addStaged, readPace } from './staged/options.ts';
import { resumeLines } from './text.ts';
import { planUndo, type Step } from './undo.ts';

interface ResumeOptions
  extends GlobalOptions,
    SelectionOptions,
    PatienceOptions,
    WaitOptions,
    MissedOptions {
  readonly as?: string;
  readonly hold?: string;
  readonly everyone?: true;
  readonly undo?: string;
  readonly ifGeneration?: string;
  readonly dryRun?: true;
}

export const resume: Verb = {
  description:
    'Lift your own hold from the root, or from the profiles named with -p. Resuming a profile never lifts a hold of the root.',
  examples: [
    'fleet resume',
    'fleet resume -p lane-a',
    'fleet resume --as deploy',
    'fleet resume --wait',
    'fleet resume -p lane-a --everyone',
    'fleet resume --missed skip',
    'fleet resume --undo op-3f9a1c02b7d4',
    'fleet resume --staged --canary lane-a --step 10% --every 2m',
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
      valued('--if-generation <generation>', 'only if this is still the generation of the scope'),
    )
    .addOption(missedOption())
    .addOption(dryRunOption());
  addPatience(command);
  addWait(command);
  addStaged(command);
}

async function run(command: Command, nowMs: number): Promise<Answer> {
  const options = command.opts<ResumeOptions>();
  const pace = readPace(command);
  if (pace !== null) {
    return (await import('./staged/command.ts')).resumeStaged(command, pace, nowMs);
  }
  const selection = selectionOf(options);
  const timeoutMs = readWaitMs(options);
  refuseGeneration(options);
  const { session, steps } = open(options, nowMs, selection);
  refuseDefaultProfile(session.selection.profiles ?? [], 'resume');

  const recorded: string[] = [];
  const resumings = steps.map((step) => {
    const resuming = resumeOne(session, step, options);
    recorded.push(...recordResume(session, resuming));
    return resuming;
  });
  const unselected = options.label === undefined ? [] : unselectedHoldsOf(session, selection);
  const { undo = null, missed = null } = options;
  const operation = resumings.some(hasWritten) ? session.operation : null;
  const stillHeld = heldElsewhere(session, steps);
  const facts = { session, resumings, stillHeld, unselected, operation, undo, missed };
  const done: Answer = {
    exit: worstOf(resumings.map(exitOfResuming)),
    document: () => resumeDocument(facts, null),
    lines: (view) => markDryRun(session, resumeLines(facts, view)),
    notices: markDryRun(session, [...resumeNotices(facts), ...recorded]),
  };
  // There is nothing to wait for if everything is still held.
  const isAllHeld = resumings.length > 0 && resumings.every(({ after }) => isHeld(after));
  if (timeoutMs === null || isAllHeld) return done;
  const [{ answerAfterWaiting }, { resumeGoal }] = await Promise.all([
    import('../../watcher-client/answer-after-waiting.ts'),
    import('./goal.ts'),
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

/** With `--undo`, the journal record of the operation says which scopes are meant. */
function open(
  options: ResumeOptions,
  nowMs: number,
  selection: LiftSelection,
): { session: Session; steps: readonly Step[] } {
  const withDryRun = (session: Session) => (options.dryRun ? forDryRun(session) : session);
  if (options.undo === undefined) {
    const session = withDryRun(openForWriting(options, nowMs, 'resume'));
    return { session, steps: targetsOf(session).map((target) => ({ target, asked: selection })) };
  }
  const opened = { ...openSession(options, nowMs), operation: newOperation() };
  const { steps, gone } = planUndo(opened, options.undo);
  const session = { ...opened, selection: { ...opened.selection, missing: gone } };
  return { session: withDryRun(session), steps };
}

/** After the root was resumed: the profiles that still have holds of their own. */
function heldElsewhere(session: Session, steps: readonly Step[]): ProfileState[] {
  const { root, disk, selection } = session;
  if (steps.every(({ target: { profile } }) => profile !== null)) return [];
  const rootState = readRootState(disk, root.root);
  return selection.listing.profiles
    .map((profile) => readProfileState(disk, rootState, root.root, profile))
    .filter(({ states: [own] }) => own?.scope.kind === 'profile' && isHeld([own]));
}

/** Profiles that the labels do not select, and that the same holder holds: a label may have changed since. */
function unselectedHoldsOf(session: Session, selection: LiftSelection): UnselectedHolds[] {
  const { root, disk } = session;
  if (!('holder' in selection)) return [];
  const selected = new Set(session.selection.profiles?.map(({ name }) => name));
  return session.selection.listing.profiles.flatMap(({ name }) => {
    const [target] = selected.has(name) ? [] : targetOf(root.root, name);
    if (target === undefined || name === DEFAULT_PROFILE) return [];
    const { check } = readScope(disk, target.scope);
    const own = ({ holder }: Hold) => holder === selection.holder;
    const holds = check.engaged ? check.holds.filter(own) : [];
    return holds.length === 0 ? [] : [{ profile: name, holds }];
  });
}

function selectionOf({ as: holder, hold, everyone }: ResumeOptions): LiftSelection {
  if (hold !== undefined) return { id: hold };
  if (everyone) return { everyone: true };
  // Anonymous holds are lifted too, unless --as names a holder.
  return holder === undefined ? { holder: defaultHolder(), anonymous: true } : { holder };
}

function refuseGeneration({ ifGeneration, profile = [] }: ResumeOptions): void {
  if (ifGeneration === undefined) return;
  if (ifGeneration === 'none') {
    throw usageError(
      '`--if-generation none` leaves nothing to lift',
      'name the generation to lift',
    );
  }
  if (profile.length < 2) return;
  throw usageError(
    '`--if-generation` with several `-p`',
    'a generation belongs to one scope: name one profile',
  );
}
