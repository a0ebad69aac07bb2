/**
 * `resume --missed`: writes beside each hold, before it is lifted, what becomes of the work that was missed,
 * so that gateways learn it with the lift, with or without a watcher.
 * The files are the core's `missed/`; gateways read them and obey.
 */
import {
  type Hold,
  type LiftResult,
  MISSED_CHOICES,
  type MissedChoice,
  removeMissed,
  selects,
  writeMissed,
} from '@fleet-estop/sentinel-core';
import type { Option } from 'commander';
import { valued } from '../../cli/flags.ts';
import { usageError } from '../../cli/values.ts';
import { actorOf } from '../../fleet/actor.ts';
import type { Session } from '../../fleet/session.ts';
import { readScope } from '../../fleet/state.ts';
import type { UnexpectedError } from '../../fleet/targets.ts';
import { visible } from '../../text/visible.ts';
import { whyText } from '../../text/why.ts';
import type { Step } from './undo.ts';

export interface MissedOptions {
  readonly missed?: MissedChoice;
}

export const missedOption = (): Option =>
  valued(
    '--missed <choice>',
    'tell gateways what becomes of the work that was missed: skip, catch-up or ask (default: what each gateway does)',
    { read: readChoice },
  );

function readChoice(text: string): MissedChoice {
  const choice = MISSED_CHOICES.find((word) => word === text);
  if (choice !== undefined) return choice;
  throw usageError(`\`--missed ${text}\` is no choice`, 'write skip, catch-up or ask');
}

/** What was written before a lift. */
export interface WrittenChoice {
  /** The holds for which it was written. */
  readonly holds: readonly Hold[];
  /** An errno: it could not be written for one of them. null: it was. */
  readonly failure: string | null;
}

/**
 * Writes the choice for the holds that the step is about to lift. Without a choice it removes one that a
 * killed call left, which would be obeyed at this lift. Writes nothing in a dry run.
 */
export function writeChoice(
  session: Session,
  { target: { scope }, asked, placed }: Step,
  { missed: choice }: MissedOptions,
): WrittenChoice {
  if (session.dryRun || placed?.onlyChanged) return { holds: [], failure: null };
  const { check } = readScope(session.disk, scope);
  const holds = check.engaged ? check.holds.filter((hold) => selects(asked, hold)) : [];
  for (const { id } of holds) {
    if (choice === undefined) {
      removeMissed(scope.dir, id);
      continue;
    }
    const by = actorOf('resume').user;
    const outcome = writeMissed(scope.dir, { hold: id, choice, by });
    if (!outcome.written) return { holds, failure: outcome.why };
  }
  return { holds: choice === undefined ? [] : holds, failure: null };
}

/** Removes the choice of holds that the lift left: a later lift would be taken for this one. */
export function withdrawChoice(
  { disk }: Session,
  { target: { scope } }: Step,
  { holds }: WrittenChoice,
): void {
  if (holds.length === 0) return;
  const { check } = readScope(disk, scope);
  for (const { id } of holds) {
    if (check.engaged && check.holds.some((hold) => hold.id === id)) removeMissed(scope.dir, id);
  }
}

/** For stderr: where the choice was not passed on. */
export function choiceNotices(
  name: string,
  { target: { scope } }: Step,
  choice: MissedChoice | undefined,
  { holds, failure }: WrittenChoice,
  result: LiftResult | UnexpectedError,
): string[] {
  if (choice === undefined) return [];
  if (failure !== null) {
    const where = visible(`${scope.dir}/.fleet/missed`);
    return [
      `NOT lifted: ${name}: \`--missed ${choice}\` could not be written in ${where}: ${whyText(failure)}`,
      '  make that folder writable, or leave --missed out: gateways then do what their authors chose',
    ];
  }
  const lifted = 'unexpectedError' in result || !result.lifted ? [] : result.holds;
  return lifted
    .filter(({ id }) => !holds.some((hold) => hold.id === id))
    .map(
      ({ id }) =>
        `warning: hold ${visible(id)} of ${name} was placed meanwhile and lifted without \`--missed ${choice}\``,
    );
}
