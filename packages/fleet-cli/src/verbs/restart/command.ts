/**
 * `fleet restart`: restarts the gateways of profiles without hurting anybody, one group after another.
 * One group is `restart-group.ts`; the output is `text.ts`.
 */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import {
  formatInstant,
  here,
  markOf,
  newOperation,
  type Profile,
} from '@fleet-estop/sentinel-core';
import type { Command } from 'commander';
import { type Answer, writtenAnswer } from '../../cli/answer.ts';
import { deliver } from '../../cli/deliver.ts';
import { readDurationMs } from '../../cli/duration.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { flag, valued } from '../../cli/flags.ts';
import { addPatience, type PatienceOptions, readPatience } from '../../cli/patience.ts';
import { reasonIn, usageError } from '../../cli/values.ts';
import { addSelection, type Verb } from '../../cli/verb.ts';
import { actorOf } from '../../fleet/actor.ts';
import { requirePolicies } from '../../fleet/policies.ts';
import { refuseDefaultProfile, type SelectionOptions } from '../../fleet/selection.ts';
import { type GlobalOptions, openForWriting, type Session } from '../../fleet/session.ts';
import { type Target, targetOf } from '../../fleet/targets.ts';
import { askState } from '../../watcher-client/ask-state.ts';
import { interruptible } from '../../watcher-client/interruptible.ts';
import { type Group, planGroups } from './groups.ts';
import { restartInTheWay } from './held-profiles.ts';
import { refuseFromInside } from './inside.ts';
import { type GroupResult, restartGroup } from './restart-group.ts';
import type { Run } from './run.ts';
import { exitOfRestart, restartDocument, restartLines, restartNotices } from './text.ts';

interface RestartOptions extends GlobalOptions, SelectionOptions, PatienceOptions {
  readonly timeout?: string;
  readonly noDrain?: true;
  readonly reason?: string;
  readonly parallel?: string;
  readonly settle?: string;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_SETTLE_MS = 5_000;
/** How long the own holds outlive a kill of this process, where nobody settles what it left. */
const DEADMAN_MS = 5 * 60_000;
const MOST_PARALLEL = 64;
const ASK_MS = 5_000;
/** Characters of the host's name in the holder's name, which has at most 64. */
const MAX_HOST = 24;

export const restart: Verb = {
  description:
    'Restart the gateways of the profiles named with -p, one after another: hold their new work, wait until nothing is in hand, tell the people whose work must be cut, restart by the means in profile.yaml, see a new instance stay, and lift the hold. It stops at the first failure, whose profile stays held.',
  examples: [
    'fleet restart -p lane-a -p lane-b --reason "new version"',
    'fleet restart -l tier=batch --timeout 10m --parallel 3',
    'fleet restart -p lane-a --no-drain',
  ],
  configure,
  run,
};

function configure(command: Command): void {
  addSelection(command, 'restart the gateway of this profile (repeatable)');
  command
    .addOption(
      valued(
        '--timeout <duration>',
        'how long work in hand may take to end, and then the new instance to come (default: 2m)',
      ),
    )
    .addOption(
      flag('--no-drain', 'do not wait for work in hand: its owners are told, and it is cut'),
    )
    .addOption(valued('--reason <text>', 'why, shown to whoever is refused or cut'))
    .addOption(
      valued('--parallel <number>', 'restart so many at a time (default: 1)', {
        read: readParallel,
      }),
    )
    .addOption(valued('--settle <duration>', 'how long the new instance must stay (default: 5s)'))
    .addHelpText(
      'after',
      `
Exit status:
  0  every gateway was restarted, verified, and its hold lifted
  1  one was not: the others of the selection are untouched
  2  refused before anything was held: the command line, no means, or called from inside
  5  no watcher could be asked, so nothing was held
  130, 143  interrupted`,
    );
  addPatience(command);
}

async function run(command: Command, nowMs: number): Promise<Answer> {
  const options = command.opts<RestartOptions>();
  const timeoutMs =
    options.timeout === undefined
      ? DEFAULT_TIMEOUT_MS
      : readDurationMs('--timeout', options.timeout);
  const settleMs =
    options.settle === undefined ? DEFAULT_SETTLE_MS : readDurationMs('--settle', options.settle);
  const patience = readPatience(options);
  if (options.profile === undefined) {
    throw usageError('nothing is selected', 'name the profiles with -p, or select them with -l');
  }
  const session = openForWriting(options, nowMs, 'restart');
  const profiles = session.selection.profiles ?? [];
  refuseDefaultProfile(profiles, 'restart');
  const { root } = session.root;
  const asked = await askState(root, { timeoutMs: ASK_MS });
  if (!asked.reached || asked.state === null) {
    const why = asked.reached ? 'it sent no state' : asked.why;
    return writtenAnswer(EXIT.timedOut, [
      `NOT restarted: the watcher cannot be asked who serves ${profiles.map(({ name }) => name).join(', ')}: ${why}`,
      '  nothing was held; start it with `fleet watcher`',
    ]);
  }
  const groups = await planGroups(profiles, asked.state);
  const homes = profiles.map(({ home }) => home);
  refuseFromInside(
    groups.flatMap(({ gateways }) => gateways),
    homes,
  );
  const inTheWay = profiles.flatMap(({ name, home }) => restartInTheWay(name, home) ?? []);
  if (inTheWay.length > 0) {
    return writtenAnswer(
      EXIT.notAsAsked,
      inTheWay.map((line) => `NOT restarted: ${line}`),
    );
  }
  const holder = ownHolder();
  const given = reasonIn(options) ?? null;
  const policies = await requirePolicies(root, () => [
    { holder, reason: given, ttlMs: DEADMAN_MS },
  ]);
  const operation = session.operation ?? newOperation();
  const waiting = interruptible();
  const parallel = Number(options.parallel ?? 1);
  const reason = given ?? 'restart of its gateway';
  const shared: Run = {
    session,
    plan: { holder, reason, ttlMs: DEADMAN_MS, actor: actorOf('restart'), patience },
    record: {
      id: operation,
      holder,
      hold: null,
      mark: markOf() ?? { pid: process.pid, birth: '', place: here() },
      oldInstances: [],
      step: 'held',
      since: formatInstant(nowMs),
      reason: given,
    },
    waiting,
    timeoutMs,
    drains: options.noDrain !== true,
    settleMs,
    say: (line) => {
      if (options.quiet !== true) deliver(2, `${line}\n`);
    },
    showsDrain: parallel === 1 && options.quiet !== true,
  };
  deliver(2, policies.notices.map((line) => `${line}\n`).join(''));
  try {
    const results = await runAll(groups, parallel, waiting, (group) =>
      restartGroup(shared, group, targetsIn(session, group)),
    );
    const untouched = groups.filter((group) => !results.some((one) => one.group === group));
    const facts = { session, operation, results, untouched };
    const signal = waiting.interruption();
    return {
      exit: signal === null ? exitOfRestart(results) : signal === 'SIGTERM' ? 143 : 130,
      ...(signal === null ? {} : { endsBy: signal }),
      document: () => restartDocument(facts),
      lines: (view) => restartLines(facts, view),
      notices: restartNotices(facts),
    };
  } finally {
    waiting.close();
  }
}

/** After the first failure no other group is begun; those under way go on to their end. */
async function runAll(
  groups: readonly Group[],
  parallel: number,
  { interruption }: Run['waiting'],
  restartOne: (group: Group) => Promise<GroupResult>,
): Promise<GroupResult[]> {
  const results: GroupResult[] = [];
  const left = [...groups];
  let isFailed = false;
  const work = async (): Promise<void> => {
    while (!isFailed && interruption() === null) {
      const group = left.shift();
      if (group === undefined) return;
      try {
        const result = await restartOne(group);
        results.push(result);
        isFailed ||= result.outcome !== 'restarted';
      } catch (error) {
        isFailed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: parallel }, work));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results;
}

/** If two profiles share one folder by a link, only one hold is placed there. */
function targetsIn(
  { root }: Session,
  { profiles }: Group,
): (Target & { readonly profile: string })[] {
  const seen = new Set<string>();
  return profiles.flatMap(({ name, home }: Profile) => {
    const { dev, ino } = statSync(home);
    const identity = `${dev}:${ino}`;
    if (seen.has(identity)) return [];
    seen.add(identity);
    return targetOf(root.root, name).map((target) => ({ ...target, profile: name }));
  });
}

/** Unique to this run, so that no other hold is replaced or lifted. */
function ownHolder(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, MAX_HOST);
  return `restart-${host}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

function readParallel(text: string): string {
  if (/^[1-9]\d?$/.test(text) && Number(text) <= MOST_PARALLEL) return text;
  throw usageError(`\`--parallel ${text}\` is not a number`, `give one from 1 to ${MOST_PARALLEL}`);
}
