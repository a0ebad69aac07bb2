/**
 * What `fleet pause` prints on stderr: failures and warnings.
 * What it prints on stdout is `text.ts`.
 */
import {
  type ArmResult,
  couldNotLook,
  type Hold,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import type { Deadline } from '../cli/deadline.ts';
import { noLongerAllowed } from '../fleet/allowlist.ts';
import { headline, scopeName, whoMayPass } from '../fleet/hold-text.ts';
import type { PolicyCheck } from '../fleet/policies.ts';
import { replacedWarnings } from '../fleet/replaced-text.ts';
import type { Session } from '../fleet/session.ts';
import { sentinelOf, unreadableIn } from '../fleet/state.ts';
import { unconfirmedLines } from '../fleet/unread-text.ts';
import { visible } from '../text/visible.ts';
import { unreadText, whyText } from '../text/why.ts';
import { type Pausing, stillStands } from './pause-scope.ts';

export interface PauseFacts {
  readonly session: Session;
  readonly pausings: readonly Pausing[];
  readonly deadline: Deadline;
  readonly verbose: boolean;
  /** Whether fleet.yaml could be used. */
  readonly settings: PolicyCheck['settings'];
  /** The id of this call; null: it changed nothing. */
  readonly operation: string | null;
}

type Armed = Extract<ArmResult, { armed: true }>;

export const nameOf = ({ target: { profile } }: Pausing): string => profile ?? 'the whole fleet';

/** The other holds in the whole chain. */
export function othersIn(states: readonly ScopeState[], own: Hold) {
  return states.flatMap((state) =>
    state.check.engaged
      ? state.check.holds.filter(({ id }) => id !== own.id).map((hold) => ({ state, hold }))
      : [],
  );
}

/** For stderr: first failures, then warnings. */
export function pauseNotices({ session, pausings, deadline }: PauseFacts): string[] {
  const failures = pausings.flatMap((pausing) => failureOf(session, pausing));
  const warnings = pausings.flatMap((pausing) => warningsOf(session, pausing));
  if (deadline.beyondDates !== undefined && failures.length < pausings.length) {
    warnings.push(
      `warning: \`${visible(deadline.beyondDates)}\` is later than any date, so this hold has NO deadline and stands until lifted`,
    );
  }
  if (pausings.length === 0)
    warnings.push('warning: nothing was paused: none of the named profiles exists');
  return [...failures, ...warnings];
}

function failureOf({ root }: Session, pausing: Pausing): string[] {
  const { result, target } = pausing;
  if ('unexpectedError' in result) return unconfirmedLines(nameOf(pausing), result.unexpectedError);
  if (result.armed) return stillStands(result, pausing.after) ? [] : goneLines(pausing, result);
  const [own] = pausing.after;
  const isUnread = own !== undefined && unreadableIn(own) === result.why;
  const why = isUnread ? unreadText(result.why) : whyText(result.why);
  if (!result.engaged) return [`NOT paused: ${nameOf(pausing)}: ${why}`];
  // A scope that could not be read counts as held, but it is unknown whether others hold it.
  if (result.holds.every(({ unreadable }) => couldNotLook(unreadable))) {
    return [
      `NOT paused: ${nameOf(pausing)}: ${why}`,
      '  whether others hold it is unknown: this user cannot read it',
      `  sentinel ${visible(sentinelOf(target.scope))}, root ${visible(root.root)}`,
    ];
  }
  return [
    `NOT paused by you: your hold on ${nameOf(pausing)} was not placed: ${why}`,
    '  others hold it, and it is held only as long as their holds stand:',
    ...result.holds.map((hold) => `  ${headline(hold)}`),
    `  sentinel ${visible(sentinelOf(target.scope))}, root ${visible(root.root)}`,
  ];
}

/** For a hold that was placed, and was gone a moment later. */
function goneLines(pausing: Pausing, { hold }: Armed): string[] {
  const name = nameOf(pausing);
  const others = othersIn(pausing.after, hold);
  return [
    `NOT paused by you any more: your hold on ${name} was placed, but is already gone`,
    '  somebody else lifted it, or its deadline has passed',
    ...others.map(
      ({ state, hold: other }) => `  ${scopeName(state.scope)} is still held by ${headline(other)}`,
    ),
  ];
}

function warningsOf(session: Session, pausing: Pausing): string[] {
  const { result, covers, target } = pausing;
  if ('unexpectedError' in result || !result.armed) return [];
  const name = nameOf(pausing);
  const warnings: string[] = [];
  if (result.degraded === 'empty' || result.degraded === 'folder') {
    const placed = result.degraded === 'empty' ? 'an empty file' : 'an empty folder';
    warnings.push(
      `warning: ${name} IS held, but only ${placed} could be placed: ${whyText(result.why ?? '?')}`,
      '  it has no reason, no holder and no deadline, and lets nobody through; anyone may lift it',
    );
  } else if (result.degraded === 'direct') {
    warnings.push(
      `warning: ${name} IS held, but was written without waiting for other operations: ${whyText(result.why ?? '?')}`,
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

/** Warns about users who could pass before this pause, and cannot any more. */
function closedFor({ before, after }: Pausing): string[] {
  const lost = noLongerAllowed(before, after[0]);
  if (lost === null) return [];
  return [`warning: could pass here before this pause, and cannot pass now: ${whoMayPass(lost)}`];
}
