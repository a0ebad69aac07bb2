/**
 * `fleet pause`: places a hold in the root or in profiles, and reports what it then read from disk.
 * One scope is `pause-scope.ts`; the output is `text.ts`, `notices.ts` and `document.ts`.
 */
import { type Allow, isProfileName, profileHome } from '@fleet-estop/sentinel-core';
import type { Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { type Deadline, type DeadlineOptions, readDeadline } from '../../cli/deadline.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { flag, repeated, valued } from '../../cli/flags.ts';
import { addPatience, type PatienceOptions, readPatience } from '../../cli/patience.ts';
import { readHolder, readUser, reasonIn, usageError } from '../../cli/values.ts';
import { addSelection, dryRunOption, type Verb } from '../../cli/verb.ts';
import {
  addWait,
  excludeWedgedOption,
  readDrainMs,
  readWaitMs,
  type WaitOptions,
} from '../../cli/wait.ts';
import { forDryRun } from '../../dry-run/session.ts';
import { markDryRun } from '../../dry-run/text.ts';
import { actorOf } from '../../fleet/actor.ts';
import { defaultHolder, HOLDER_RULE } from '../../fleet/holder.ts';
import {
  refuseDefaultProfile,
  requireKnown,
  type SelectionOptions,
} from '../../fleet/selection.ts';
import { type GlobalOptions, openForWriting } from '../../fleet/session.ts';
import { targetsOf } from '../../fleet/targets.ts';
import { exitOfPause, type NamedArmRequest } from '../../pausing/pause-scope.ts';
import { placeHolds } from '../../pausing/place-holds.ts';
import { pauseIds, pauseLines } from '../../pausing/text.ts';
import type { Json } from '../../text/json.ts';
import { pauseDocument } from './document.ts';

interface PauseOptions
  extends GlobalOptions,
    SelectionOptions,
    DeadlineOptions,
    PatienceOptions,
    WaitOptions {
  readonly reason?: string;
  readonly allowUser?: readonly string[];
  readonly allowProfile?: readonly string[];
  readonly noAllow?: true;
  readonly as?: string;
  readonly ifGeneration?: string;
  readonly dryRun?: true;
  readonly drain?: true;
  readonly excludeWedged?: true;
  readonly verbose?: true;
}

export const pause: Verb = {
  description:
    'Hold new work in the whole fleet, or in the profiles named with -p. Pausing again keeps what is not mentioned.',
  examples: [
    'fleet pause --reason "bad deploy"',
    'fleet pause -p lane-a -p lane-b --ttl 45m',
    'fleet pause --wait --timeout 10s',
    'fleet pause --as deploy --until 2026-11-29T18:00:00+01:00 --allow-user 4711',
  ],
  configure,
  run,
};

function configure(command: Command): void {
  addSelection(command, 'pause this profile instead of the whole fleet (repeatable)');
  command
    .addOption(valued('--reason <text>', 'why, shown to whoever is refused'))
    .addOption(
      valued('--ttl <duration>', 'lift by itself after 45m, 2h, 1h30m, 2d').conflicts([
        'until',
        'noTtl',
      ]),
    )
    .addOption(
      valued('--until <instant>', 'lift by itself at a date and time with an offset').conflicts(
        'noTtl',
      ),
    )
    .addOption(flag('--no-ttl', 'remove the deadline: hold until lifted'))
    .addOption(
      repeated('--allow-user <id>', 'let this user through (repeatable)', readUser).conflicts(
        'noAllow',
      ),
    )
    .addOption(
      repeated('--allow-profile <name>', 'but only on this profile (repeatable)').conflicts(
        'noAllow',
      ),
    )
    .addOption(flag('--no-allow', 'let nobody through any more'))
    .addOption(
      valued('--as <holder>', `hold under this name (default: ${HOLDER_RULE})`, {
        read: readHolder,
      }),
    )
    .addOption(
      valued(
        '--if-generation <generation>',
        'only if this is the current generation of the scope; `none`: only if nothing holds it',
      ),
    )
    .addOption(flag('-v, --verbose', 'show all details of each hold, however many there are'))
    .addOption(dryRunOption());
  addPatience(command);
  addWait(command);
  command
    .addOption(
      flag('--drain', 'then wait as fleet drain does, for --timeout').conflicts(['dryRun', 'wait']),
    )
    .addOption(excludeWedgedOption());
}

async function run(command: Command, nowMs: number): Promise<Answer> {
  const options = command.opts<PauseOptions>();
  const deadline = readDeadline(options, nowMs);
  const drainMs = readDrainOf(options);
  const timeoutMs = drainMs === null ? readWaitMs(options) : null;
  const patience = readPatience(options);
  const request = requestOf(options, deadline);
  refuseSharedGeneration(options);
  const opened = openForWriting(options, nowMs, 'pause');
  const session = options.dryRun ? forDryRun(opened) : opened;
  const { profiles, listing } = session.selection;
  refuseDefaultProfile(profiles ?? [], 'pause');
  if (!options.allowMissing) requireKnown(listing, options.allowProfile ?? []);

  const verbose = options.verbose === true;
  const wanted = { targets: targetsOf(session), request, deadline, patience, verbose };
  const { facts, notices } = await placeHolds(session, wanted);
  const { pausings } = facts;
  const done: Answer = {
    exit: exitOfPause(pausings),
    document: () => pauseDocument(facts, {}),
    lines: (view) => markDryRun(session, pauseLines(facts, view)),
    quietLines: () => pauseIds(facts),
    notices: markDryRun(session, notices),
  };
  // There is nothing to wait for if the hold was not placed.
  if (done.exit !== EXIT.done) return done;
  if (drainMs !== null) {
    const { answerAfterDraining } = await import('../../drain/answer-after-draining.ts');
    const excludesWedged = options.excludeWedged === true;
    const document = (drain: Json) => pauseDocument(facts, { drain });
    return answerAfterDraining({
      ...{ session, options, timeoutMs: drainMs },
      ...{ excludesWedged, done, document },
    });
  }
  if (timeoutMs === null) return done;
  const [{ answerAfterWaiting }, { pauseGoal }] = await Promise.all([
    import('../../watcher-client/answer-after-waiting.ts'),
    import('./goal.ts'),
  ]);
  const goal = pausings.length === 0 ? null : pauseGoal(session, pausings);
  const document = (wait: Json) => pauseDocument(facts, { wait });
  return answerAfterWaiting({
    session,
    options,
    awaiting: 'pause',
    goal,
    timeoutMs,
    done,
    document,
  });
}

function requestOf(options: PauseOptions, deadline: Deadline): NamedArmRequest {
  const { as: holder = defaultHolder(), ifGeneration } = options;
  const reason = reasonIn(options);
  const allow = allowOf(options);
  return {
    actor: actorOf('pause'),
    holder,
    ...(reason === undefined ? {} : { reason }),
    ...(deadline.expiresAt === undefined ? {} : { expiresAt: deadline.expiresAt }),
    ...(allow === undefined ? {} : { allow }),
    ...(ifGeneration === undefined
      ? {}
      : { expectGeneration: ifGeneration === 'none' ? null : ifGeneration }),
  };
}

/** Milliseconds to wait until nothing is in hand; null: not asked for. */
function readDrainOf(options: PauseOptions): number | null {
  if (options.drain) return readDrainMs(options);
  if (!options.excludeWedged) return null;
  throw usageError(
    '`--exclude-wedged` without `--drain`',
    'it says what --drain waits for: give both',
  );
}

/** undefined: keep the current allowlist. */
function allowOf({ allowUser, allowProfile, noAllow }: PauseOptions): Allow | null | undefined {
  if (noAllow) return null;
  if (allowProfile === undefined) return allowUser && { userIds: allowUser };
  for (const name of allowProfile) if (!isProfileName(name)) profileHome('', name); // throws
  if (allowUser === undefined) {
    throw usageError(
      '`--allow-profile` without `--allow-user`',
      'a profile only narrows whom --allow-user lets through: name a user as well',
    );
  }
  return { userIds: allowUser, profiles: allowProfile };
}

/** A generation belongs to one file. `none` can be checked for each scope. */
function refuseSharedGeneration({ ifGeneration, profile = [] }: PauseOptions): void {
  if (ifGeneration === undefined || ifGeneration === 'none' || profile.length < 2) return;
  throw usageError(
    '`--if-generation` with several `-p`',
    'a generation belongs to one scope: name one profile',
  );
}
