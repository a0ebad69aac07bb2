/**
 * `fleet drain`: places the caller's hold where nothing holds yet, and waits until every gateway has
 * acknowledged and nothing is in hand.
 * The waiting is in `drain/`; what stands already is `standing.ts`.
 */
import type { Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { type DeadlineOptions, readDeadline } from '../../cli/deadline.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { valued } from '../../cli/flags.ts';
import { addPatience, type PatienceOptions, readPatience } from '../../cli/patience.ts';
import { readHolder, reasonIn } from '../../cli/values.ts';
import { addSelection, dryRunOption, type Verb } from '../../cli/verb.ts';
import { excludeWedgedOption, readDrainMs } from '../../cli/wait.ts';
import { answerAfterDraining } from '../../drain/answer-after-draining.ts';
import { forDryRun } from '../../dry-run/session.ts';
import { markDryRun } from '../../dry-run/text.ts';
import { actorOf } from '../../fleet/actor.ts';
import { defaultHolder, HOLDER_RULE } from '../../fleet/holder.ts';
import { rootJson } from '../../fleet/json.ts';
import { refuseDefaultProfile, type SelectionOptions } from '../../fleet/selection.ts';
import { type GlobalOptions, openForWriting, type Session } from '../../fleet/session.ts';
import { type Target, targetsOf } from '../../fleet/targets.ts';
import { exitOfPause } from '../../pausing/pause-scope.ts';
import { type PlacedHolds, placeHolds } from '../../pausing/place-holds.ts';
import { pausingJson } from '../../pausing/results-json.ts';
import { pauseIds, pauseLines } from '../../pausing/text.ts';
import type { Json } from '../../text/json.ts';
import { type Standing, standingIn, standingJson, standingLines } from './standing.ts';

interface DrainOptions extends GlobalOptions, SelectionOptions, DeadlineOptions, PatienceOptions {
  readonly reason?: string;
  readonly as?: string;
  readonly timeout?: string;
  readonly excludeWedged?: true;
  readonly dryRun?: true;
}

export const drain: Verb = {
  description:
    'Hold new work where nothing holds it yet, and wait until every gateway has acknowledged that and nothing is in hand. The hold stays.',
  examples: [
    'fleet drain -p lane-a --reason "new version" --timeout 10m',
    'fleet drain --timeout 0',
    'fleet drain -l tier=batch --exclude-wedged --json',
  ],
  configure,
  run,
};

function configure(command: Command): void {
  addSelection(command, 'drain this profile instead of the whole fleet (repeatable)');
  command
    .addOption(valued('--timeout <duration>', 'how long to wait; 0 looks once (default: 30s)'))
    .addOption(excludeWedgedOption())
    .addOption(valued('--reason <text>', 'why, shown to whoever is refused'))
    .addOption(
      valued('--ttl <duration>', 'the hold lifts by itself after 45m, 2h, 1h30m, 2d').conflicts(
        'until',
      ),
    )
    .addOption(
      valued('--until <instant>', 'the hold lifts by itself at a date and time with an offset'),
    )
    .addOption(
      valued('--as <holder>', `hold under this name (default: ${HOLDER_RULE})`, {
        read: readHolder,
      }),
    )
    .addOption(dryRunOption());
  addPatience(command);
}

async function run(command: Command, nowMs: number): Promise<Answer> {
  const options = command.opts<DrainOptions>();
  const deadline = readDeadline(options, nowMs);
  const timeoutMs = readDrainMs(options);
  const patience = readPatience(options);
  const reason = reasonIn(options);
  const opened = openForWriting(options, nowMs, 'drain');
  const session = options.dryRun ? forDryRun(opened) : opened;
  const targets = targetsOf(session);
  const standing = standingIn(session, targets);
  const free = targets.filter((target) => !standing.some((one) => one.target === target));
  refuseDefaultProfile(selectedAmong(session, free), 'drain');
  const request = {
    actor: actorOf('drain'),
    holder: options.as ?? defaultHolder(),
    ...(reason === undefined ? {} : { reason }),
    ...(deadline.expiresAt === undefined ? {} : { expiresAt: deadline.expiresAt }),
  };
  const wanted = { targets: free, request, deadline, patience, verbose: false };
  // What stands already needs no hold, and no policy judges it.
  const placed =
    standing.length > 0 && free.length === 0 ? null : await placeHolds(session, wanted);
  const document = (drained: Json) => drainDocument(session, placed, standing, drained);
  const skipped = session.selection.missing.map(
    (name) => `skipped ${name}: there is no such profile`,
  );
  const done: Answer = {
    exit: placed === null ? EXIT.done : exitOfPause(placed.facts.pausings),
    document: () => document(null),
    lines: (view) =>
      markDryRun(session, [
        ...(placed === null ? skipped : pauseLines(placed.facts, view)),
        ...standingLines(standing, view),
      ]),
    quietLines: () => (placed === null ? [] : pauseIds(placed.facts)),
    notices: markDryRun(session, placed?.notices ?? []),
  };
  // What is not held cannot be drained, and a dry run holds nothing.
  if (done.exit !== EXIT.done || options.dryRun) return done;
  const excludesWedged = options.excludeWedged === true;
  return answerAfterDraining({ session, options, timeoutMs, excludesWedged, done, document });
}

const selectedAmong = ({ selection }: Session, targets: readonly Target[]) =>
  (selection.profiles ?? []).filter(({ name }) => targets.some(({ profile }) => profile === name));

/** `drained`: what the waiting came to; null: nobody waited. */
function drainDocument(
  session: Session,
  placed: PlacedHolds | null,
  standing: readonly Standing[],
  drained: Json,
): { [key: string]: Json } {
  return {
    schema: 'fleet/drain/v1',
    dry_run: session.dryRun === true,
    ...rootJson(session.root),
    operation: placed?.facts.operation ?? null,
    settings: placed?.facts.settings ?? null,
    results: (placed?.facts.pausings ?? []).map((pausing) => pausingJson(session, pausing)),
    standing: standing.map((one) => standingJson(session, one)),
    skipped: session.selection.missing,
    deadline_beyond_dates: placed?.facts.deadline.beyondDates !== undefined,
    drain: drained,
  };
}
