/**
 * `fleet extend`: moves the deadline of an existing hold, and changes nothing else.
 * One scope's hold is `extend-hold.ts`; the output is `text.ts`.
 */
import { DEFAULT_HOLDER, FleetError } from '@fleet-estop/sentinel-core';
import type { Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { type Deadline, type DeadlineOptions, readDeadline } from '../../cli/deadline.ts';
import { worstOf } from '../../cli/exit-codes.ts';
import { flag, valued } from '../../cli/flags.ts';
import { addPatience, type PatienceOptions, readPatience } from '../../cli/patience.ts';
import { readHolder, usageError } from '../../cli/values.ts';
import { addSelection, dryRunOption, type Verb } from '../../cli/verb.ts';
import { forDryRun } from '../../dry-run/session.ts';
import { markDryRun } from '../../dry-run/text.ts';
import { defaultHolder, HOLDER_RULE } from '../../fleet/holder.ts';
import { requirePolicies, ttlsOf } from '../../fleet/policies.ts';
import { refuseDefaultProfile, type SelectionOptions } from '../../fleet/selection.ts';
import { type GlobalOptions, openForWriting } from '../../fleet/session.ts';
import { readScope } from '../../fleet/state.ts';
import { attempt, targetsOf } from '../../fleet/targets.ts';
import { extendHold, type HoldSelector } from './extend-hold.ts';
import { exitOfExtended, recordExtension } from './extend-scope.ts';
import { extendDocument, extendLines, extendNotices } from './text.ts';

interface ExtendOptions extends GlobalOptions, SelectionOptions, DeadlineOptions, PatienceOptions {
  readonly as?: string;
  readonly hold?: string;
  readonly shorten?: true;
  readonly dryRun?: true;
}

export const extend: Verb = {
  description:
    'Move the deadline of your own hold in the whole fleet, or in the selected profiles. Its reason, its allowlist and the holds of others stay as they are, and no hold is placed where there is none. A hold that already ends later, or never, is kept unless --shorten is given.',
  examples: [
    'fleet extend --ttl 2h',
    'fleet extend -p lane-a --as deploy --until 2026-11-29T18:00:00+01:00',
    'fleet extend -l tier=batch --ttl 8h --dry-run',
  ],
  configure,
  run,
};

function configure(command: Command): void {
  addSelection(command, 'extend in this profile instead of the root (repeatable)');
  command
    .addOption(valued('--ttl <duration>', 'end 45m, 2h, 1h30m or 2d from now').conflicts('until'))
    .addOption(valued('--until <instant>', 'end at a date and time with an offset'))
    .addOption(
      valued('--as <holder>', `whose hold (default: ${HOLDER_RULE})`, { read: readHolder }),
    )
    .addOption(valued('--hold <id>', 'this one hold, whoever holds it').conflicts('as'))
    .addOption(flag('--shorten', 'allow an earlier end, or an end where there is none'))
    .addOption(dryRunOption());
  addPatience(command);
}

async function run(command: Command, nowMs: number): Promise<Answer> {
  const options = command.opts<ExtendOptions>();
  const expiresAt = instantOf(readDeadline(options, nowMs));
  const selector: HoldSelector =
    options.hold === undefined ? { holder: options.as ?? defaultHolder() } : { id: options.hold };
  const how = { patience: readPatience(options), mayShorten: options.shorten === true };
  const opened = openForWriting(options, nowMs, 'extend');
  const session = options.dryRun ? forDryRun(opened) : opened;
  const { profiles } = session.selection;
  refuseDefaultProfile(profiles ?? [], 'extend');
  const targets = targetsOf(session);
  if (targets.length === 0) {
    throw new FleetError('PROFILE_UNKNOWN', 'none of the named profiles exists', {
      hint: 'there is nothing to extend',
    });
  }
  const policyCheck = await requirePolicies(session.root.root, () =>
    planned(selector, expiresAt, nowMs),
  );

  const recorded: string[] = [];
  const extendings = targets.map((target) => {
    const { disk } = session;
    const result = attempt(() => extendHold(disk, target.scope, selector, expiresAt, how));
    const extended = { target, result, after: readScope(disk, target.scope) };
    recorded.push(...recordExtension(session, extended));
    return extended;
  });
  const changed = extendings.some(
    ({ result }) => !('unexpectedError' in result) && result.extended,
  );
  const operation = changed ? session.operation : null;
  const facts = { session, extendings, selector, settings: policyCheck.settings, operation };
  return {
    exit: worstOf(extendings.map(exitOfExtended)),
    document: () => extendDocument(facts),
    lines: (view) => markDryRun(session, extendLines(facts, view)),
    notices: markDryRun(session, [...extendNotices(facts), ...policyCheck.notices, ...recorded]),
  };
}

function instantOf({ expiresAt, beyondDates }: Deadline): string {
  if (beyondDates !== undefined) {
    throw usageError(
      `\`${beyondDates}\` is later than any date`,
      'to take a deadline away, pause again with --no-ttl',
    );
  }
  if (typeof expiresAt === 'string') return expiresAt;
  throw usageError('no new deadline was given', 'give --ttl or --until');
}

/**
 * Only the policy `max_ttl` applies to a moved deadline, so a reason is filled in: it was given when the
 * hold was placed.
 */
const planned = (selector: HoldSelector, expiresAt: string, nowMs: number) => {
  const holder = 'id' in selector ? DEFAULT_HOLDER : selector.holder;
  const reason = 'as it stands';
  return ttlsOf({ expiresAt }, null, nowMs).map((ttlMs) => ({ holder, reason, ttlMs }));
};
