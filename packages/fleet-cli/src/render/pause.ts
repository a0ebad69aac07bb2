/**
 * What `fleet pause` says: only what was read back from disk after the write.
 */
import {
  type ArmResult,
  DEFAULT_LANE,
  type Hold,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import type { Pausing } from '../commands/pause.ts';
import type { Deadline } from '../input/deadline.ts';
import { lostPassage, mayPass } from '../passage.ts';
import type { Policing } from '../policies.ts';
import type { Session } from '../session.ts';
import { sentinelOf, unreadableIn } from '../state.ts';
import { stillStands } from '../still-stands.ts';
import { bodyFields, outcomeWord } from './dry-run.ts';
import { counted, type Field, fields } from './fields.ts';
import { deadline as deadlineText, headline, howToLift, passers, scopeName } from './holds.ts';
import { replacedFields, replacedWarnings } from './replaced.ts';
import { unconfirmedLines } from './unread.ts';
import type { View } from './view.ts';
import { visible } from './visible.ts';
import { unreadText, whyText } from './why.ts';

export interface PauseFacts {
  readonly session: Session;
  readonly pausings: readonly Pausing[];
  readonly deadline: Deadline;
  /** What is known of fleet.yaml. */
  readonly settings: Policing['settings'];
}

type Armed = Extract<ArmResult, { armed: true }>;

const nameOf = ({ target: { profile } }: Pausing): string => profile ?? 'the whole fleet';

export function pauseLines({ session, pausings }: PauseFacts, view: View): string[] {
  const lines = pausings.flatMap((pausing) =>
    'surprise' in pausing.result ||
    !pausing.result.armed ||
    !stillStands(pausing.result, pausing.after)
      ? []
      : armedLines(session, pausing, pausing.result, view),
  );
  for (const name of session.selection.missing) {
    lines.push(`skipped ${name}: there is no such profile`);
  }
  return lines;
}

function armedLines(session: Session, pausing: Pausing, result: Armed, view: View): string[] {
  const { root, nowMs } = session;
  const { scope } = pausing.target;
  const { hold } = result;
  const facts: Field[] = [
    ['root', `${visible(root.root)} (${root.source})`],
    ['sentinel', visible(sentinelOf(scope))],
    ['holder', hold.holder === null ? '(anonymous)' : visible(hold.holder)],
    ['hold', visible(hold.id)],
    ['reason', hold.reason === null ? 'none given' : visible(hold.reason)],
    ['until', deadlineText(hold, nowMs)],
    ['may pass', passersOf(pausing, hold)],
    ['covers', coversText(session, pausing)],
    ...alsoHeldBy(pausing, hold),
    ['lift with', howToLift(root, scope, hold)],
    ...(result.replaced === null ? [] : replacedFields(hold, result.replaced, nowMs)),
    ...bodyFields(session, scope),
  ];
  const verb = outcomeWord(session, result.replaced === null ? 'PAUSED' : 'PAUSED again');
  return [`${view.paint('yellow', verb)} ${nameOf(pausing)}`, ...fields(facts)];
}

/** Who passes the whole chain, and whom this hold alone would let through, where that is more. */
function passersOf({ after }: Pausing, hold: Hold): string {
  const all = passers(mayPass(after));
  const own = passers(hold.allow);
  return all === own ? all : `${all} (this hold alone: ${own})`;
}

function coversText({ dryRun }: Session, { covers, target }: Pausing): string {
  if (covers === null) return 'every profile; how many there are cannot be read';
  if (target.profile === null) {
    const profiles = covers.filter((name) => name !== DEFAULT_LANE);
    const names = dryRun && profiles.length > 0 ? `: ${profiles.join(', ')}` : '';
    return `${counted(profiles.length, 'profile')}${names}, and the root's own lane \`${DEFAULT_LANE}\``;
  }
  const [own = '', ...shared] = covers;
  return shared.length === 0
    ? own
    : `${own}, and by a link to the same folder ${shared.join(', ')}`;
}

const alsoHeldBy = ({ after }: Pausing, own: Hold): Field[] =>
  othersIn(after, own).map(({ state, hold }) => [
    'also held',
    `${scopeName(state.scope)} by ${headline(hold)}`,
  ]);

function othersIn(states: readonly ScopeState[], own: Hold) {
  return states.flatMap((state) =>
    state.check.engaged
      ? state.check.holds.filter(({ id }) => id !== own.id).map((hold) => ({ state, hold }))
      : [],
  );
}

/** For stderr: first what did not happen, then what happened otherwise than asked. */
export function pauseNotices({ session, pausings, deadline }: PauseFacts): string[] {
  const failures = pausings.flatMap((pausing) => failureOf(session, pausing));
  const warnings = pausings.flatMap((pausing) => warningsOf(session, pausing));
  if (deadline.beyondDates !== undefined && failures.length < pausings.length) {
    warnings.push(
      `warning: \`${visible(deadline.beyondDates)}\` is later than any date, so this hold has NO deadline and stands until lifted`,
    );
  }
  if (pausings.length === 0)
    warnings.push('warning: nothing was paused: no profile that was named exists');
  return [...failures, ...warnings];
}

function failureOf({ root }: Session, pausing: Pausing): string[] {
  const { result, target } = pausing;
  if ('surprise' in result) return unconfirmedLines(nameOf(pausing), result.surprise);
  if (result.armed) return stillStands(result, pausing.after) ? [] : goneLines(pausing, result);
  const [own] = pausing.after;
  const isUnread = own !== undefined && unreadableIn(own) === result.why;
  const why = isUnread ? unreadText(result.why) : whyText(result.why);
  if (!result.engaged) return [`NOT paused: ${nameOf(pausing)}: ${why}`];
  return [
    `NOT paused by you: your hold on ${nameOf(pausing)} was not placed: ${why}`,
    '  it is held all the same, by others, and only as long as they hold it:',
    ...result.holds.map((hold) => `  ${headline(hold)}`),
    `  sentinel ${visible(sentinelOf(target.scope))}, root ${visible(root.root)}`,
  ];
}

/** It was seen, and did not stand any more a moment later. */
function goneLines(pausing: Pausing, { hold }: Armed): string[] {
  const name = nameOf(pausing);
  const others = othersIn(pausing.after, hold);
  return [
    `NOT paused by you any more: your hold on ${name} was placed, and is gone already`,
    '  somebody else lifted it, or its deadline has passed',
    ...others.map(
      ({ state, hold: other }) =>
        `  ${scopeName(state.scope)} is held all the same by ${headline(other)}`,
    ),
  ];
}

function warningsOf(session: Session, pausing: Pausing): string[] {
  const { result, covers, target } = pausing;
  if ('surprise' in result || !result.armed) return [];
  const name = nameOf(pausing);
  const warnings: string[] = [];
  if (result.degraded === 'empty' || result.degraded === 'folder') {
    const placed = result.degraded === 'empty' ? 'an empty file' : 'an empty folder';
    warnings.push(
      `warning: ${name} IS held, but only ${placed} could be placed: ${whyText(result.why ?? '?')}`,
      '  it says neither reason nor holder, has no deadline, and lets nobody through; anyone may lift it',
    );
  } else if (result.degraded === 'direct') {
    warnings.push(
      `warning: ${name} IS held, but was written without taking turns: ${whyText(result.why ?? '?')}`,
    );
  }
  if (result.shortened) warnings.push('warning: the reason was too long and was shortened');
  if (result.replaced !== null) {
    warnings.push(...replacedWarnings(name, result.hold, result.replaced));
  }
  warnings.push(...closedFor(pausing));
  if (covers?.length === 0) warnings.push(...nobodyCovered(session));
  if (covers === null && target.profile === null) {
    const why = unreadText(session.selection.listing.unreadable ?? '?');
    warnings.push(`warning: profiles/ cannot be read, so how many are covered is unknown: ${why}`);
  }
  return warnings;
}

const nobodyCovered = ({ root }: Session): string[] => [
  `warning: no profile is covered: there is none under ${visible(root.root)} (${root.source})`,
  '  is this the root you meant?',
];

/** Says whom an allowlist let through before, and no longer does. */
function closedFor({ before, after }: Pausing): string[] {
  const lost = lostPassage(before, after[0]);
  if (lost === null) return [];
  return [`warning: could pass here before this, and cannot now: ${passers(lost)}`];
}
