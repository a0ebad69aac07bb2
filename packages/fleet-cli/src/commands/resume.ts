/**
 * `fleet resume`: lifts holds in the root or in profiles, looks again, and says what still holds.
 * How that is said is `render/resume.ts`.
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
import { type GlobalOptions, openForWriting, type Session } from '../session.ts';
import { isHeld, type Lane, notSeenIn, readLane, readRoot, readScope } from '../state.ts';
import {
  addSelection,
  attempt,
  dryRunOption,
  record,
  type Surprise,
  type Target,
  targetsOf,
  type Verb,
} from './verb.ts';

interface ResumeOptions extends GlobalOptions, SelectionOptions, PatienceOptions, WaitOptions {
  readonly as?: string;
  readonly hold?: string;
  readonly everyone?: true;
  readonly ifGeneration?: string;
  readonly dryRun?: true;
}

/** What became of one scope. */
export interface Resuming {
  readonly target: Target;
  /** When it was begun, milliseconds since the epoch. */
  readonly beganMs: number;
  readonly result: LiftResult | Surprise;
  /** Where only something expired was left, it is removed. */
  readonly retired: RetireResult | null;
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
  const opened = openForWriting(options, nowMs, 'resume');
  const session = options.dryRun ? rehearsing(opened) : opened;
  refuseDefaultLane(session.selection.profiles ?? [], 'resume');

  const recorded: string[] = [];
  const resumings = targetsOf(session).map((target) => {
    const resuming = resumeOne(session, target, selection, options);
    recorded.push(...journal(session, resuming));
    return resuming;
  });
  const facts = { session, selection, resumings, stillHeld: heldElsewhere(session) };
  const done: Answer = {
    exit: worstOf(resumings.map((resuming) => exitOfResuming(resuming, selection))),
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

function resumeOne(
  session: Session,
  target: Target,
  selection: LiftSelection,
  asked: ResumeOptions,
): Resuming {
  const { disk } = session;
  const { dir } = target.scope;
  const { ifGeneration } = asked;
  const options = ifGeneration === undefined ? {} : { ifGeneration };
  const patience = readPatience(asked);
  const beganMs = Date.now();
  const result = attempt(() => lift(disk, dir, selection, options, patience));
  // Readers of the oldest form are held while the file exists, expired or not.
  const expired = !('surprise' in result) && !result.lifted && result.why === 'expired';
  const retired = expired ? retire(disk, dir, { certain: true }) : null;
  // Whatever was reported: the answer is what stands on disk now.
  const after = target.chain.map((scope) => readScope(disk, scope));
  return { target, beganMs, result, retired, after };
}

/** After the root was resumed: the profiles that have holds of their own all the same. */
function heldElsewhere(session: Session): Lane[] {
  const { root, disk, selection } = session;
  if (selection.profiles !== null) return [];
  const rootLane = readRoot(disk, root.root);
  return selection.listing.profiles
    .map((profile) => readLane(disk, rootLane, root.root, profile))
    .filter(({ states: [own] }) => own?.scope.kind === 'profile' && isHeld([own]));
}

function exitOfResuming({ result, after }: Resuming, selection: LiftSelection): ExitCode {
  if ('surprise' in result) return EXIT.notAsAsked;
  if (!result.lifted && result.why === 'superseded') return EXIT.lostCompareAndSet;
  if (!isHeld(after)) return EXIT.done;
  if (after.some((state) => notSeenIn(state) !== null)) return EXIT.unreadable;
  const [own] = after;
  const isDone = result.lifted && !(own?.check.engaged && own.check.holds.some(isMeant(selection)));
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
