/**
 * `fleet resume --staged`: brings held profiles back in waves. Each profile gets a hold of its own, the
 * root's hold is lifted, and then wave by wave those holds. At no moment is a profile free that has not had
 * its turn, and what is left after a kill is held.
 * Which profiles come when is `turns.ts` and `waves.ts`; the output is `text.ts`.
 */
import {
  DEFAULT_PROFILE,
  FleetError,
  listProfiles,
  type Profile,
} from '@fleet-estop/sentinel-core';
import type { Command } from 'commander';
import type { Answer } from '../../../cli/answer.ts';
import { deliver } from '../../../cli/deliver.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { defaultHolder } from '../../../fleet/holder.ts';
import { readFleet } from '../../../fleet/read-fleet.ts';
import {
  refuseDefaultProfile,
  requireKnown,
  type SelectionOptions,
} from '../../../fleet/selection.ts';
import { type GlobalOptions, openForWriting, type Session } from '../../../fleet/session.ts';
import { isHeld, notSeenIn } from '../../../fleet/state.ts';
import { targetOf } from '../../../fleet/targets.ts';
import { whyText } from '../../../text/why.ts';
import { type Interruptible, interruptible } from '../../../watcher-client/interruptible.ts';
import { exitOfResuming, type LiftHow, recordResume, resumeOne } from '../resume-scope.ts';
import type { Pace } from './options.ts';
import { runWaves, type WaveOutcome } from './run-waves.ts';
import { coverAll } from './stand-in.ts';
import { type StagedFacts, stagedDocument, stagedLines, stagedNotices } from './text.ts';
import { type StagedMode, stagedModeOf, turnsOf, waitingIn } from './turns.ts';
import { planWaves, type Turn } from './waves.ts';

export interface StagedResumeOptions extends GlobalOptions, SelectionOptions, LiftHow {
  readonly as?: string;
  readonly dryRun?: true;
}

export async function resumeStaged(command: Command, pace: Pace, nowMs: number): Promise<Answer> {
  const options = command.opts<StagedResumeOptions>();
  const session = openForWriting(options, nowMs, 'resume');
  const { listing, profiles: selected } = session.selection;
  refuseDefaultProfile(selected ?? [], 'resume');
  if (listing.unreadable !== undefined) {
    throw new FleetError(
      'SCOPE_UNUSABLE',
      `the profiles cannot be listed: ${whyText(listing.unreadable)}`,
      { hint: 'repair profiles/: nobody can be held until its turn before it is known' },
    );
  }
  requireKnown(listing, pace.canaries);
  const caller = { holder: options.as ?? defaultHolder(), isNamed: options.as !== undefined };
  const mode = stagedModeOf(session, caller, pace.goesOn);
  const progress = (lines: readonly string[]): void => {
    if (!options.quiet) deliver(2, lines.map((line) => `${line}\n`).join(''));
  };
  const signals = interruptible();
  try {
    const staging = { session, mode, pace, options, caller: caller.holder, progress, signals };
    const facts = options.dryRun ? await plan(staging) : await bringBack(staging);
    const interruption = signals.interruption();
    return {
      exit: exitOfStaged(facts),
      ...(interruption === null ? {} : { endsBy: interruption }),
      document: () => stagedDocument(facts),
      lines: (view) => stagedLines(facts, view),
      notices: stagedNotices(facts),
    };
  } finally {
    signals.close();
  }
}

interface Staging {
  readonly session: Session;
  readonly mode: StagedMode;
  readonly pace: Pace;
  readonly options: StagedResumeOptions;
  readonly caller: string;
  readonly progress: (lines: readonly string[]) => void;
  readonly signals: Interruptible;
}

const NOT_BEGUN: WaveOutcome = { begunMs: [], resumings: [], stopped: null, notices: [] };

async function plan(staging: Staging): Promise<StagedFacts> {
  const waves = await wavesOf(staging, staging.session.selection.listing.profiles);
  return factsOf(staging, waves, NOT_BEGUN);
}

async function bringBack(staging: Staging): Promise<StagedFacts> {
  const { session, mode, pace, options, progress, signals } = staging;
  let { profiles } = session.selection.listing;
  const notices: string[] = [];
  const stopped = (why: string): StagedFacts =>
    factsOf(staging, [], { ...NOT_BEGUN, stopped: why, notices });
  if (mode.kind === 'fleet') {
    const covering = coverAll(session, mode, options);
    notices.push(...covering.notices);
    if (!covering.covered) return stopped(`${covering.why}; the root is still held`);
    profiles = covering.profiles;
    const why = liftRoot(session, mode, options, notices);
    if (why !== null) return stopped(why);
    const which = `each of ${profiles.length} profiles waits for its turn, held by ${mode.holder}`;
    progress([`your hold of the root is lifted: ${which}`]);
  }
  const waves = await wavesOf(staging, profiles);
  const outcome = await runWaves({
    ...{ session, mode, pace, waves, options },
    interruptible: signals,
    onProgress: progress,
  });
  return factsOf(staging, waves, { ...outcome, notices: [...notices, ...outcome.notices] });
}

const NOT_LIFTED = 'your hold of the root could not be lifted';

/** null: it is lifted. */
function liftRoot(
  session: Session,
  { own }: StagedMode,
  options: LiftHow,
  notices: string[],
): string | null {
  const [target] = targetOf(session.root.root, null);
  if (target === undefined) return 'the root has no scope';
  const resuming = resumeOne(session, { target, asked: own }, options);
  notices.push(...resuming.unchosen);
  notices.push(...recordResume({ ...session, nowMs: Date.now() }, resuming));
  const exit = exitOfResuming(resuming);
  if (exit === EXIT.done || exit === EXIT.othersHold) return null;
  const { result, after } = resuming;
  const unread = after.map(notSeenIn).find((why) => why !== null);
  if (unread !== undefined) return `the root cannot be read: ${whyText(unread)}`;
  if ('unexpectedError' in result) return `${NOT_LIFTED}: ${result.unexpectedError}`;
  return `${NOT_LIFTED}: ${result.lifted ? 'it was placed again at once' : whyText(result.why)}`;
}

/** Of the selected profiles, or of all that wait. */
async function wavesOf(
  { session, mode, pace }: Staging,
  all: readonly Profile[],
): Promise<Turn[][]> {
  const { profiles: selected } = session.selection;
  const waiting = mode.kind === 'rest' ? new Set(waitingIn(session, all, mode.holder)) : null;
  const due = (selected ?? all).filter(({ name }) => waiting?.has(name) ?? true);
  return planWaves(await turnsOf(due, all, pace.by), pace);
}

function factsOf(
  { session: opened, mode, pace, options, caller }: Staging,
  waves: readonly (readonly Turn[])[],
  outcome: WaveOutcome,
): StagedFacts {
  // Profiles may have come and gone since the call began.
  const listing = listProfiles(opened.root.root);
  const selection = { ...opened.selection, listing };
  const session = { ...opened, nowMs: Date.now(), selection };
  const { profileStates } = readFleet(session);
  const later = waves.slice(outcome.begunMs.length).flat();
  const waiting =
    mode.kind === 'profiles'
      ? later.flatMap(({ names }) => names)
      : waitingIn(session, listing.profiles, mode.holder);
  return {
    session,
    mode,
    pace,
    caller: options.as === undefined ? null : caller,
    dryRun: options.dryRun === true,
    missed: options.missed ?? null,
    waves,
    outcome,
    profileStates: profileStates.filter(({ profile }) => profile !== DEFAULT_PROFILE),
    waiting,
  };
}

function exitOfStaged({ session, dryRun, outcome, profileStates }: StagedFacts): ExitCode {
  if (dryRun) return EXIT.done;
  if (session.selection.listing.unreadable !== undefined) return EXIT.unreadable;
  const states = profileStates.flatMap((one) => one.states);
  if (states.some((state) => notSeenIn(state) !== null)) return EXIT.unreadable;
  if (outcome.stopped !== null) return EXIT.notAsAsked;
  return isHeld(states) ? EXIT.othersHold : EXIT.done;
}
