/**
 * `fleet gate`: exits 0 only if new work of a profile is admitted, or runs a command only then.
 * The decision is the core's `ask`; running the command is `child/`.
 */
import {
  ask,
  DEFAULT_PROFILE,
  FleetError,
  profileChain,
  type Question,
} from '@fleet-estop/sentinel-core';
import type { Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { readDurationMs } from '../../cli/duration.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { valued } from '../../cli/flags.ts';
import { readUser, usageError } from '../../cli/values.ts';
import { labelOption, type Verb } from '../../cli/verb.ts';
import { readWrapped, refuseJson } from '../../cli/wrapped-words.ts';
import { nameSelected } from '../../fleet/name-selected.ts';
import {
  type GlobalOptions,
  openSession,
  profileOfHome,
  type Session,
} from '../../fleet/session.ts';
import { visible } from '../../text/visible.ts';
import { type GateFacts, isPlain } from './facts.ts';
import { gateDocument, gateLines, gateNotices, unreachableDocument } from './text.ts';
import { waitFor } from './wait.ts';

interface GateOptions extends GlobalOptions {
  readonly profile?: string;
  readonly door?: string;
  readonly user?: string;
  readonly wait?: string;
  readonly refusedCode?: string;
}

/** `profile` is a list if it was resolved from labels. */
interface AskedOptions extends Omit<GateOptions, 'profile'> {
  readonly profile?: string | readonly string[];
}

export const gate: Verb = {
  description:
    'Exit 0 only if new work is admitted now, in the profile named with -p or by HERMES_HOME, else in the root; or run a command only then.',
  examples: [
    'fleet gate -p lane-a -- ./nightly.sh',
    'fleet gate -p lane-a --wait 10m -- ./nightly.sh',
    'fleet gate --door cron --user 4711 && ./report.sh',
  ],
  configure,
  namesItself: true,
  run,
};

function configure(command: Command): void {
  command
    .usage('[options] [-- <command> [argument...]]')
    .allowExcessArguments()
    .addOption(
      valued(
        '-p, --profile <name>',
        'for this profile (default: the one of HERMES_HOME, else what binds the root)',
      ),
    )
    .addOption(labelOption('for the one profile with this label').conflicts('profile'))
    .addOption(
      valued('--door <name>', 'which kind of work asks, for the notice', { read: readDoor }),
    )
    .addOption(
      valued('--user <id>', 'for this user, whom an allowlist may let pass', { read: readUser }),
    )
    .addOption(valued('--wait <duration>', 'wait this long for it to be admitted'))
    .addOption(
      valued(
        '--refused-code <code>',
        `exit status of a refusal, 1 to 255 (default: ${EXIT.refused})`,
        {
          read: readRefusedCode,
        },
      ),
    )
    .addHelpText(
      'after',
      `
Exit status: the command's, or 0 without one; 128+n if signal n ended it. And of
fleet itself:
   ${EXIT.refused}  refused; what could not be read counts as held
    2  the command line is wrong, where there is no command
  125  the command was not run, for another reason than a refusal
  126  the command cannot be executed
  127  there is no such command`,
    );
}

async function run(
  command: Command,
  nowMs: number,
  wrapped: readonly string[] | null,
): Promise<Answer> {
  let options: GateOptions = { ...command.opts<GateOptions>() };
  const words = readWrapped('gate', wrapped, command.args);
  const waitMs = options.wait === undefined ? null : readDurationMs('--wait', options.wait);
  if (words !== null) refuseJson(options);
  const refused = Number(options.refusedCode ?? EXIT.refused);
  let session: Session;
  let isOfHome = false;
  try {
    await nameSelected(command);
    options = withOneProfile(command.opts<AskedOptions>());
    isOfHome = options.profile === undefined;
    const ofHome = isOfHome ? profileOfHome(options) : undefined;
    if (ofHome !== undefined) options = { ...options, profile: ofHome };
    session = openFor(options, nowMs);
  } catch (error) {
    // INVARIANT 2: the state, or which profile is meant, is unknown, so it counts as held.
    if (!(error instanceof FleetError) || !isRefusal(error, isOfHome)) throw error;
    return unreachable(options, error, refused);
  }
  // Loaded before the decision, so that nothing delays the start of the command after it.
  const child = words === null ? null : await import('../../child/run-command.ts');
  const question = questionOf(session, options);
  const startedAt = performance.now();
  let reply = ask(question);
  while (!reply.admitted && waitMs !== null) {
    const leftMs = waitMs - (performance.now() - startedAt);
    if (leftMs <= 0) break;
    await waitFor(question, leftMs);
    reply = ask(question);
  }
  const facts: GateFacts = {
    session: { ...session, nowMs: Date.now() },
    profile: options.profile ?? null,
    door: options.door ?? null,
    user: options.user ?? null,
    reply,
    waitedMs: waitMs === null ? null : performance.now() - startedAt,
  };
  if (reply.admitted && child !== null && words !== null) return child.runAsAnswer(words);
  return {
    exit: reply.admitted ? EXIT.done : refused,
    document: () => gateDocument(facts),
    lines: (view) => gateLines(facts, view),
    // Under cron, output means a mail at each tick. State that could not be read is reported even with --quiet.
    notices: options.quiet && isPlain(reply) ? [] : gateNotices(facts),
  };
}

/**
 * Whether the error counts as held. A profile named by HERMES_HOME is where the work would run, so its
 * errors do too.
 */
function isRefusal({ code }: FleetError, isOfHome: boolean): boolean {
  if (code === 'SCOPE_UNUSABLE' || code === 'ROOT_UNRECOGNIZED') return true;
  return isOfHome && (code === 'PROFILE_UNKNOWN' || code === 'PROFILE_INVALID');
}

/** One answer for several profiles could be wrong for some of them. */
function withOneProfile({ profile, ...options }: AskedOptions): GateOptions {
  if (profile === undefined) return options;
  const [name = '', ...others] = [profile].flat();
  if (others.length === 0) return { ...options, profile: name };
  throw usageError(
    `a gate asks for one profile, and these labels match ${[name, ...others].join(', ')}`,
    'select exactly one, or name it with -p',
  );
}

function openFor({ profile, ...options }: GateOptions, nowMs: number): Session {
  return openSession(profile === undefined ? options : { ...options, profile: [profile] }, nowMs);
}

function questionOf(
  { disk, root }: Session,
  { profile = DEFAULT_PROFILE, user }: GateOptions,
): Question {
  const { scopes } = profileChain(root.root, profile);
  return { disk, scopes, applicant: { principal: user ?? null, profile } };
}

/** A fleet that cannot be read counts as held. */
function unreachable(options: GateOptions, error: FleetError, refused: number): Answer {
  return {
    exit: refused,
    document: () => unreachableDocument(options, error.message),
    lines: () => [],
    notices: [
      `REFUSED: what holds is unknown: ${visible(error.message)}`,
      `  ${visible(error.hint)}`,
    ],
  };
}

function readDoor(text: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(text)) return text;
  throw usageError(
    `\`${text}\` is not the name of a door`,
    'a name is 1 to 64 of a-z, 0-9, `-` and `_`, such as cron or kanban',
  );
}

/** Not 0, because then a refusal would look like success. */
function readRefusedCode(text: string): string {
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= 255) return text;
  throw usageError(
    `\`${text}\` cannot be an exit status of a refusal`,
    'give a number from 1 to 255',
  );
}
