/**
 * `fleet window`: holds new work for as long as a command runs, and no longer.
 * One scope's hold is `window/own-hold.ts`; running the command is `child/`.
 */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import {
  FleetError,
  follow,
  type Hold,
  MAX_INSTANT_MS,
  type Outlook,
} from '@fleet-estop/sentinel-core';
import type { Command } from 'commander';
import { actorOf } from '../actor.ts';
import type { Answer } from '../answer.ts';
import {
  type CommandEnd,
  diedOfInterrupt,
  exitOfCommand,
  notStartedNotices,
  runCommand,
} from '../child/run-command.ts';
import { catchSignals, type Signals } from '../child/signals.ts';
import { deliver } from '../deliver.ts';
import { EXIT } from '../exit-codes.ts';
import { readDurationMs } from '../input/duration.ts';
import { valued } from '../input/flags.ts';
import { refuseDefaultLane, type SelectionOptions } from '../input/selection.ts';
import { readHolder, refusal } from '../input/values.ts';
import { missingCommand, readWrapped, refuseJson } from '../input/wrapped-words.ts';
import { visible } from '../render/visible.ts';
import {
  endingLines,
  happeningLines,
  notPlacedLines,
  openingLines,
  openingWarnings,
  type Standing,
} from '../render/window.ts';
import { type GlobalOptions, openSession, type Session } from '../session.ts';
import { readScope } from '../state.ts';
import { type Happening, type OwnHold, ownHold, type Plan } from '../window/own-hold.ts';
import { addSelection, attempt, record, type Target, targetsOf, type Verb } from './verb.ts';

interface WindowOptions extends GlobalOptions, SelectionOptions {
  readonly ttl?: string;
  readonly reason?: string;
  readonly as?: string;
}

const DEFAULT_TTL = '1h';
/** Characters of the host's name in a holder's, which has 64. */
const MAX_HOST = 24;
/** Milliseconds. However short a deadline is, there is time for the command's own signals. */
const MIN_LOOK_MS = 100;

export const window: Verb = {
  description:
    'Hold new work in the whole fleet, or in the profiles named with -p, while a command runs; then lift exactly that hold. Its deadline is moved on while the command lives, and lifts it should this process be killed.',
  examples: [
    'fleet window -- ./deploy.sh --all',
    'fleet window -p lane-a --ttl 10m --reason "schema change" -- ./migrate.sh',
  ],
  configure,
  run,
};

function configure(command: Command): void {
  addSelection(command, 'hold this profile instead of the whole fleet (repeatable)');
  command
    .usage('[options] -- <command> [argument...]')
    .allowExcessArguments()
    .addOption(
      valued(
        '--ttl <duration>',
        `how long the hold outlives a kill of this process (default: ${DEFAULT_TTL})`,
      ),
    )
    .addOption(valued('--reason <text>', 'why, for whoever is refused'))
    .addOption(
      valued('--as <holder>', "whose hold it is (default: a name of this run's own)", {
        read: readHolder,
      }),
    )
    .addHelpText(
      'after',
      `
Exit status: the command's; 128+n if signal n ended it. And of fleet itself:
  125  the command was not run, or the hold could not be lifted after it
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
  const session = openSession(options, nowMs);
  refuseDefaultLane(session.selection.profiles ?? [], 'hold');
  const targets = distinct(targetsOf(session));
  if (targets.length === 0) {
    throw new FleetError('PROFILE_UNKNOWN', 'no profile that was named exists', {
      hint: 'a window that holds nothing protects nothing',
    });
  }
  const signals = catchSignals();
  try {
    const holds = targets.map((target) => ownHold(session.disk, target, plan));
    return await hold({ session, plan, words, signals, calm: options.quiet !== true }, holds);
  } finally {
    signals.close();
  }
}

/** Where `-p` names one folder twice, by way of a link, one hold is all there can be. */
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
    throw refusal(`\`--ttl ${ttl}\` is later than any date`, 'a window always has a deadline');
  }
  return {
    holder: options.as ?? ownHolder(),
    // Not its arguments: they may hold what is nobody's business.
    reason: options.reason ?? `window around ${basename(program)}`,
    ttlMs,
    actor: actorOf('window'),
  };
}

/** Unique to this run, so that nobody else's hold is ever replaced or lifted. */
function ownHolder(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, MAX_HOST);
  return `window-${host}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

interface Run {
  readonly session: Session;
  readonly plan: Plan;
  readonly words: readonly string[];
  readonly signals: Signals;
  /** Says what goes as asked, too. */
  readonly calm: boolean;
}

/** Whatever happens between placing and the end, what was placed is lifted. */
async function hold(run: Run, holds: readonly OwnHold[]): Promise<Answer> {
  let outcome: Outcome;
  let lifted = false;
  try {
    outcome = await runHolding(run, holds);
  } finally {
    lifted = await endAll(run, holds);
  }
  const { exit } = outcome;
  return {
    ...outcome,
    // Work is still held, for nothing: that is no success, whatever the command says.
    exit: exit === EXIT.done && !lifted ? EXIT.fleetFailed : exit,
    document: () => ({}),
    lines: () => [],
    notices: [],
  };
}

type Outcome = Pick<Answer, 'exit' | 'endsBy'>;

async function runHolding(run: Run, holds: readonly OwnHold[]): Promise<Outcome> {
  const { words, signals } = run;
  if (!placeAll(run, holds)) return { exit: EXIT.fleetFailed };
  // A signal that came meanwhile is seen when the event loop turns.
  await new Promise(setImmediate);
  const early = signals.early();
  if (early !== null) {
    say([`NOT run: ${early} came before the command was started`]);
    return { exit: exitOfCommand({ kind: 'killed', signal: early }) };
  }
  const end = await keepWhile(runCommand(words, signals), run, holds);
  say(notStartedNotices(end, words));
  const exit = exitOfCommand(end);
  return diedOfInterrupt(end, signals) ? { exit, endsBy: 'SIGINT' } : { exit };
}

/** false: said why not. */
function placeAll({ session, plan, calm }: Run, holds: readonly OwnHold[]): boolean {
  const standing: Standing[] = [];
  for (const { target, place } of holds) {
    const placing = place();
    if (!placing.placed) {
      say(notPlacedLines(target, placing.why, plan.holder));
      return false;
    }
    standing.push([target, placing]);
    const { hold, generation } = placing;
    say(journal(session, target, 'arm', [hold], generation));
  }
  say([...(calm ? openingLines(session, standing) : []), ...openingWarnings(standing)]);
  return true;
}

/** Looks after the holds until the command has gone. */
async function keepWhile(
  command: Promise<CommandEnd>,
  run: Run,
  holds: readonly OwnHold[],
): Promise<CommandEnd> {
  const scopes = holds.map(({ target }) => target.scope.dir);
  const look = (): Outlook => {
    for (const one of holds) {
      const seen = attempt(one.look);
      // Nothing foreseen throws. It is said, and looked again: the command needs its hold.
      if (seen !== null && 'surprise' in seen) say([`warning: ${visible(seen.surprise)}`]);
      else if (seen !== null) happened(run, one.target, seen);
    }
    const nextMs = Math.min(...holds.map(({ nextLookMs }) => nextLookMs()));
    return { scopes, deadlineMs: Math.max(nextMs, Date.now() + MIN_LOOK_MS) };
  };
  const following = follow(look);
  try {
    return await command;
  } finally {
    following.close();
  }
}

function happened({ session }: Run, target: Target, happening: Happening): void {
  const now = readScope(session.disk, target.scope);
  say(happeningLines(target, happening, now));
  if (happening.kind !== 'lapsed' || 'why' in happening.again) return;
  say(journal(session, target, 'arm', [happening.again], happening.generation));
}

/** Whether nothing of this run is left. Lifts first and speaks then: nobody may be reading. */
async function endAll({ session, plan, calm }: Run, holds: readonly OwnHold[]): Promise<boolean> {
  const endings = await Promise.all(
    holds.map(async ({ target, end }) => ({ target, ending: await end() })),
  );
  for (const { target, ending } of endings) {
    say(endingLines(session, target, ending, { calm, holder: plan.holder }));
    if (ending.kind !== 'lifted') continue;
    const [own] = ending.after;
    const generation = own?.check.engaged ? own.check.generation : null;
    say(journal(session, target, 'lift', ending.holds, generation));
  }
  return endings.every(({ ending }) => ending.kind !== 'not-lifted');
}

function journal(
  session: Session,
  { scope, profile }: Target,
  event: 'arm' | 'lift',
  holds: readonly Hold[],
  generation: string | null,
): string[] {
  return record(
    { ...session, nowMs: Date.now() },
    {
      event,
      scope: scope.dir,
      ...(profile === null ? {} : { profile }),
      holds,
      generation,
      actor: actorOf('window'),
    },
  );
}

/** Everything is on stderr, and at once. What cannot be written there changes nothing. */
function say(lines: readonly string[]): void {
  if (lines.length > 0) deliver(2, lines.map((line) => `${line}\n`).join(''));
}
