/**
 * Places the holds of a window, runs its command, renews the holds meanwhile, and lifts them.
 * One scope's hold is `own-hold.ts`; the command line is `command.ts`.
 */
import { type Hold, type WatchTargets, watchForChanges } from '@fleet-estop/sentinel-core';
import {
  type CommandEnd,
  diedOfInterrupt,
  exitOfCommand,
  notStartedNotices,
  runCommand,
} from '../../child/run-command.ts';
import type { Signals } from '../../child/signals.ts';
import type { Answer } from '../../cli/answer.ts';
import { deliver } from '../../cli/deliver.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import type { Session } from '../../fleet/session.ts';
import { readScope } from '../../fleet/state.ts';
import { attempt, recordInJournal, type Target } from '../../fleet/targets.ts';
import type { HoldChange } from '../../own-hold/outcomes.ts';
import type { OwnHold, Plan } from '../../own-hold/own-hold.ts';
import { visible } from '../../text/visible.ts';
import {
  endingLines,
  holdChangeLines,
  notPlacedLines,
  openingLines,
  openingWarnings,
  openLines,
  type PlacedHold,
} from './text.ts';

/** Milliseconds between two looks at least, so that signals are handled however short the deadline is. */
const MIN_LOOK_MS = 100;

export interface Run {
  readonly session: Session;
  readonly plan: Plan;
  readonly words: readonly string[];
  readonly signals: Signals;
  /** Prints also what goes as asked (without --quiet). */
  readonly reportsSuccess: boolean;
  /** --strict: a hold that did not stand all the time is a failure. */
  readonly strict: boolean;
}

/** Lifts the placed holds at the end, whatever happens in between. */
export async function holdWhile(run: Run, holds: readonly OwnHold[]): Promise<Answer> {
  let outcome: Outcome;
  /** Targets where new work was not held for a while although the command ran. */
  const open = new Set<Target>();
  let lifted = false;
  try {
    outcome = await runHolding(run, holds, open);
  } finally {
    lifted = await endAll(run, holds, open);
    report(openLines([...open]));
  }
  const { exit } = outcome;
  // A hold that was not lifted still holds work, so this is a failure, whatever the command's status.
  const failed = !lifted || (run.strict && open.size > 0);
  return {
    ...outcome,
    exit: exit === EXIT.done && failed ? EXIT.fleetFailed : exit,
    document: () => ({}),
    lines: () => [],
    notices: [],
  };
}

type Outcome = Pick<Answer, 'exit' | 'endsBy'>;

async function runHolding(
  run: Run,
  holds: readonly OwnHold[],
  open: Set<Target>,
): Promise<Outcome> {
  const { words, signals } = run;
  if (!placeAll(run, holds)) return { exit: EXIT.fleetFailed };
  // One turn of the event loop, so that a signal that came meanwhile is seen.
  await new Promise(setImmediate);
  const early = signals.early();
  if (early !== null) {
    report([`NOT run: ${early} came before the command was started`]);
    return { exit: exitOfCommand({ kind: 'killed', signal: early }) };
  }
  const end = await keepWhile(runCommand(words, signals), run, holds, open);
  report(notStartedNotices(end, words));
  const exit = exitOfCommand(end);
  return (await diedOfInterrupt(end, signals)) ? { exit, endsBy: 'SIGINT' } : { exit };
}

/** false: a hold could not be placed, and the reason was printed. */
function placeAll({ session, plan, reportsSuccess }: Run, holds: readonly OwnHold[]): boolean {
  const placedHolds: PlacedHold[] = [];
  for (const { target, place } of holds) {
    const placing = place();
    if (!placing.placed) {
      report(notPlacedLines(target, placing.why, plan.holder));
      return false;
    }
    placedHolds.push([target, placing]);
    const { hold, generation } = placing;
    report(recordWindow({ session, plan }, target, 'arm', [hold], generation));
  }
  report([
    ...(reportsSuccess ? openingLines(session, placedHolds) : []),
    ...openingWarnings(placedHolds),
  ]);
  return true;
}

/** Renews the holds until the command ends. */
async function keepWhile(
  command: Promise<CommandEnd>,
  run: Run,
  holds: readonly OwnHold[],
  open: Set<Target>,
): Promise<CommandEnd> {
  const scopes = holds.map(({ target }) => target.scope.dir);
  const look = (): WatchTargets => {
    for (const one of holds) {
      const seen = attempt(one.look);
      // An error here is unexpected. It is reported, and the next look tries again, because the command
      // needs its hold.
      if (seen !== null && 'unexpectedError' in seen)
        report([`warning: ${visible(seen.unexpectedError)}`]);
      else if (seen !== null) {
        reportChange(run, one.target, seen);
        if (seen.kind === 'taken' || seen.kind === 'lapsed') open.add(one.target);
      }
    }
    const nextMs = Math.min(...holds.map(({ nextLookMs }) => nextLookMs()));
    return { scopes, deadlineMs: Math.max(nextMs, Date.now() + MIN_LOOK_MS) };
  };
  const watch = watchForChanges(look);
  try {
    return await command;
  } finally {
    watch.close();
  }
}

function reportChange(run: Run, target: Target, change: HoldChange): void {
  const now = readScope(run.session.disk, target.scope);
  report(holdChangeLines(target, change, now));
  if (change.kind !== 'lapsed' || 'why' in change.again) return;
  report(recordWindow(run, target, 'arm', [change.again], change.generation));
}

/** Whether no hold of this run is left. Lifts all holds before it prints, because a write may block. */
async function endAll(
  { session, plan, reportsSuccess }: Run,
  holds: readonly OwnHold[],
  open: Set<Target>,
): Promise<boolean> {
  const endings = await Promise.all(
    holds.map(async ({ target, end }) => ({ target, ending: await end() })),
  );
  for (const { target, ending } of endings) {
    if (ending.kind === 'gone') open.add(target);
    report(endingLines(session, target, ending, { reportsSuccess, holder: plan.holder }));
    if (ending.kind !== 'lifted') continue;
    const [own] = ending.after;
    const generation = own?.check.engaged ? own.check.generation : null;
    report(recordWindow({ session, plan }, target, 'lift', ending.holds, generation));
  }
  return endings.every(({ ending }) => ending.kind !== 'not-lifted');
}

/** Renewals are not recorded, because there would be many. */
function recordWindow(
  { session, plan }: Pick<Run, 'session' | 'plan'>,
  { scope, profile }: Target,
  event: 'arm' | 'lift',
  holds: readonly Hold[],
  generation: string | null,
): string[] {
  return recordInJournal(
    { ...session, nowMs: Date.now() },
    {
      event,
      scope: scope.dir,
      ...(profile === null ? {} : { profile }),
      holds,
      generation,
      actor: plan.actor,
    },
  );
}

/** Writes to stderr at once. A failed write changes nothing. */
export function report(lines: readonly string[]): void {
  if (lines.length > 0) deliver(2, lines.map((line) => `${line}\n`).join(''));
}
