/**
 * `fleet window`: holds new work while a command runs, and no longer.
 * Placing and lifting the holds around the command is `hold-while.ts`; running the command is `child/`.
 */

import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { FleetError, MAX_INSTANT_MS } from '@fleet-estop/sentinel-core';
import type { Command } from 'commander';
import { catchSignals } from '../../child/signals.ts';
import type { Answer } from '../../cli/answer.ts';
import { readDurationMs } from '../../cli/duration.ts';
import { flag, valued } from '../../cli/flags.ts';
import { addPatience, type PatienceOptions, readPatience } from '../../cli/patience.ts';
import { readHolder, reasonIn, usageError } from '../../cli/values.ts';
import { addSelection, type Verb } from '../../cli/verb.ts';
import { missingCommand, readWrapped, refuseJson } from '../../cli/wrapped-words.ts';
import { actorOf } from '../../fleet/actor.ts';
import { requirePolicies } from '../../fleet/policies.ts';
import { refuseDefaultProfile, type SelectionOptions } from '../../fleet/selection.ts';
import { type GlobalOptions, openForWriting } from '../../fleet/session.ts';
import { type Target, targetsOf } from '../../fleet/targets.ts';
import { ownHold, type Plan } from '../../own-hold/own-hold.ts';
import { holdWhile, report } from './hold-while.ts';
import { isStartedByNpx, noticeEndOfNpx, STARTED_BY_NPX } from './started-by-npx.ts';

interface WindowOptions extends GlobalOptions, SelectionOptions, PatienceOptions {
  readonly ttl?: string;
  readonly reason?: string;
  readonly as?: string;
  readonly strict?: true;
}

const DEFAULT_TTL = '1h';
/** Characters of the host's name in the holder's name, which has at most 64. */
const MAX_HOST = 24;

export const window: Verb = {
  description:
    'Hold new work in the whole fleet, or in the profiles named with -p, while a command runs; then lift exactly that hold. Its deadline is renewed while the command runs. If this process is killed, the deadline lifts the hold.',
  examples: [
    'fleet window -- ./deploy.sh --all',
    'fleet window -p lane-a --ttl 10m --reason "schema change" -- ./migrate.sh',
  ],
  configure,
  run,
};

function configure(command: Command): void {
  addSelection(command, 'hold this profile instead of the whole fleet (repeatable)');
  addPatience(command);
  command
    .usage('[options] -- <command> [argument...]')
    .allowExcessArguments()
    .addOption(
      valued(
        '--ttl <duration>',
        `how long the hold outlives a kill of this process (default: ${DEFAULT_TTL})`,
      ),
    )
    .addOption(valued('--reason <text>', 'why, shown to whoever is refused'))
    .addOption(
      valued('--as <holder>', "whose hold it is (default: a name of this run's own)", {
        read: readHolder,
      }),
    )
    .addOption(flag('--strict', 'fail if the hold did not stand all the time (125)'))
    .addHelpText(
      'after',
      `
Exit status: the command's; 128+n if signal n ended it. And of fleet itself:
  125  the command was not run, or the hold could not be lifted after it;
       --strict: it was lifted or lapsed while the command ran
  126  the command cannot be executed
  127  there is no such command
Everything that fleet says is on stderr.`,
    );
}

async function run(
  command: Command,
  nowMs: number,
  wrapped: readonly string[] | null,
): Promise<Answer> {
  const options = command.opts<WindowOptions>();
  const words = readWrapped('window', wrapped, command.args);
  if (words === null) throw missingCommand('window');
  refuseJson(options);
  const plan = planOf(options, words, nowMs);
  const session = openForWriting(options, nowMs, 'hold');
  refuseDefaultProfile(session.selection.profiles ?? [], 'hold');
  const targets = distinct(targetsOf(session));
  if (targets.length === 0) {
    throw new FleetError('PROFILE_UNKNOWN', 'none of the named profiles exists', {
      hint: 'there is nothing to hold',
    });
  }
  // Policies need a reason from the user: the default one says what runs, not why.
  const asked = { holder: plan.holder, reason: reasonIn(options) ?? null, ttlMs: plan.ttlMs };
  report((await requirePolicies(session.root.root, () => [asked])).notices);
  const signals = catchSignals();
  const isOfNpx = isStartedByNpx();
  const stopLooking = isOfNpx ? noticeEndOfNpx() : () => {};
  try {
    const holds = targets.map((target) => ownHold(session.disk, target, plan));
    const { quiet, strict } = options;
    const how = { reportsSuccess: quiet !== true, strict: strict === true };
    if (isOfNpx && how.reportsSuccess) report(STARTED_BY_NPX);
    return await holdWhile({ session, plan, words, signals, ...how }, holds);
  } finally {
    stopLooking();
    signals.close();
  }
}

/** If two profiles share one folder by a link, only one hold is placed there. */
function distinct(targets: readonly Target[]): Target[] {
  const seen = new Set<string>();
  return targets.filter(({ scope: { dir } }) => {
    const stats = statSync(dir, { throwIfNoEntry: false });
    const identity = stats === undefined ? dir : `${stats.dev}:${stats.ino}`;
    const fresh = !seen.has(identity);
    seen.add(identity);
    return fresh;
  });
}

function planOf(options: WindowOptions, [program = '']: readonly string[], nowMs: number): Plan {
  const ttl = options.ttl ?? DEFAULT_TTL;
  const ttlMs = readDurationMs('--ttl', ttl);
  if (nowMs + ttlMs > MAX_INSTANT_MS) {
    throw usageError(`\`--ttl ${ttl}\` is later than any date`, 'a window always has a deadline');
  }
  return {
    holder: options.as ?? ownHolder(),
    // Without the arguments, which may contain secrets.
    reason: reasonIn(options) ?? `window around ${basename(program)}`,
    ttlMs,
    actor: actorOf('window'),
    patience: readPatience(options),
  };
}

/** Unique to this run, so that no other hold is replaced or lifted. */
function ownHolder(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, MAX_HOST);
  return `window-${host}-${process.pid}-${randomBytes(4).toString('hex')}`;
}
