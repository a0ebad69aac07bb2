/**
 * The output of `fleet assert`: one line for each judgement, notices for stderr, and the JSON document.
 */

import { profileDrainJson, watcherJsonOf } from '../../drain/json.ts';
import type { DrainLook } from '../../drain/judge.ts';
import { headline, profileName, scopeName } from '../../fleet/hold-text.ts';
import { chainJson, rootJson } from '../../fleet/json.ts';
import type { UnreadLabels } from '../../fleet/selection.ts';
import { notSeenIn, unreadableIn } from '../../fleet/state.ts';
import { unlistedText } from '../../fleet/unread-text.ts';
import type { Json } from '../../text/json.ts';
import { span } from '../../text/time.ts';
import type { Style, View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import { unreadText } from '../../text/why.ts';
import {
  accountJson,
  departedText,
  gatewayName,
  listed,
  NO_VERDICT,
  outsidersJson,
  shareText,
  unknownText,
  unservedIn,
  unservedJson,
  unservedTexts,
  watcherJson,
} from '../../watcher-client/gateways-text.ts';
import type { AssertFacts, Assertion, Judgement, Outside } from './judgement.ts';

const MARKS: Record<Judgement['verdict'], readonly [string, Style]> = {
  pass: ['ok  ', 'green'],
  fail: ['FAIL', 'red'],
  unreadable: ['????', 'red'],
  none: ['-   ', 'dim'],
};

export function assertLines(facts: AssertFacts, { paint }: View): string[] {
  const { session, judgements, outside } = facts;
  const rows = [
    ...judgements.map((judgement) => {
      const { profileState, verdict } = judgement;
      return {
        verdict,
        name: profileName(profileState.profile),
        found: foundText(facts, judgement),
      };
    }),
    ...outside.map((one) => ({ verdict: one.verdict, name: OUTSIDE, found: outsideText(one) })),
  ];
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const lines = rows.map(({ verdict, name, found }) => {
    const [mark, style] = MARKS[verdict];
    return `${paint(style, mark)}  ${name.padEnd(width)}  ${found}`;
  });
  lines.push(...restTexts(facts));
  for (const name of session.selection.missing) {
    lines.push(`skipped ${name}: there is no such profile`);
  }
  return lines;
}

/** An "all acknowledged" says nothing about profiles that no gateway serves. */
function restTexts({ watched, judgements, look }: AssertFacts): string[] {
  const unserved = look === undefined ? null : unservedByLook(look);
  if (unserved !== null) return unservedTexts(unserved.length, judgements.length);
  return watched?.reached ? unservedTexts(unservedIn(watched).length, judgements.length) : [];
}

/** null: not known. */
const unservedByLook = ({ snapshot }: DrainLook): string[] | null =>
  snapshot === null
    ? null
    : [...snapshot.absent.map(({ profile }) => profile), ...snapshot.unserved];

/** What was found for a profile: its holds, or who has acknowledged its state. */
export function foundText(facts: AssertFacts, judgement: Judgement): string {
  const { watched } = facts;
  const { profileState, account, drain } = judgement;
  if (drain !== undefined) return drain.found;
  if (account !== null) {
    const away = awayText(facts, judgement);
    return away === null ? shareText(account) : `${shareText(account)}; ${away}`;
  }
  return watched === null || watched.reached
    ? stateText(profileState.states)
    : unknownText(watched);
}

/** Shown instead of a profile name; no profile can have this name. */
export const OUTSIDE = '(outside)';

/** What was found for a gateway of names outside the fleet. */
export function outsideText(outside: Outside): string {
  if (outside.verdict === 'unreadable') return departedText(outside.departed);
  const { serving, verdict } = outside;
  const [first] = serving;
  const status = verdict === 'pass' ? 'acknowledged' : `not acknowledged (${first.ackStatus})`;
  const names = listed(serving.map(({ profile }) => profile));
  return `${status} by ${gatewayName(first)}, which serves names that are not profiles here: ${names}`;
}

function stateText(states: Judgement['profileState']['states']): string {
  const holds = states.flatMap(({ scope, check }) =>
    check.engaged ? check.holds.map((hold) => `${headline(hold)} [${scopeName(scope)}]`) : [],
  );
  return holds.length === 0 ? 'running' : `paused by ${holds.join('; ')}`;
}

export const claimText = (assertion: Assertion): string =>
  'holder' in assertion ? `${assertion.claim} ${visible(assertion.holder)}` : assertion.claim;

const missingText = (name: string): string => `${name} (there is no such profile)`;

/**
 * For stderr: one line for everything that is not as claimed, and one for each state that could not be
 * read.
 */
export function assertNotices(facts: AssertFacts): string[] {
  const { session, assertion, judgements, outside, unknownProfiles, waitedMs, watched } = facts;
  const notices: string[] = [];
  const isFailed = ({ verdict }: Judgement | Outside): boolean => verdict === 'fail';
  const failed = judgements
    .filter(isFailed)
    .map(({ profileState }) => profileName(profileState.profile));
  if (waitedMs !== null) failed.push(...session.selection.missing.map(missingText));
  if (outside.some(isFailed)) failed.push(OUTSIDE);
  if (failed.length > 0) {
    const names = failed.join(', ');
    notices.push(`not ${claimText(assertion)}${waitedText(facts)}: ${names}`);
  }
  for (const judgement of judgements) {
    if (judgement.verdict !== 'unreadable') continue;
    if (watched?.reached === false) continue;
    notices.push(notKnownText(facts, judgement));
  }
  for (const one of outside) {
    if (one.verdict === 'unreadable') notices.push(outsideFailureText(facts, one));
  }
  if (watched?.reached === false) notices.push(unknownText(watched));
  if (watched?.reached && judgements.length === 0 && session.selection.missing.length === 0) {
    notices.push('not acknowledged: there is no profile');
  }
  if (unknownProfiles !== null) {
    notices.push(unlistedText(unknownProfiles));
  }
  return notices;
}

/** Why a profile could not be judged. */
export function causeOf(facts: AssertFacts, judgement: Judgement): string {
  if (judgement.drain !== undefined) {
    return causeText(judgement.profileState.states) || judgement.drain.found;
  }
  if (facts.watched?.reached === false) return unknownText(facts.watched);
  return causeText(judgement.profileState.states) || (awayText(facts, judgement) ?? NO_VERDICT);
}

/** The message for a profile that could not be judged. */
export function notKnownText(facts: AssertFacts, judgement: Judgement): string {
  const { profile, states } = judgement.profileState;
  const isHeld = facts.watched?.reached !== false && causeText(states) !== '';
  const meaning = isHeld ? ', counts as held' : '';
  return `${profileName(profile)}: unknown${meaning}: ${causeOf(facts, judgement)}`;
}

/** What is wrong outside the fleet, in one sentence. */
export function outsideFailureText(facts: AssertFacts, outside: Outside): string {
  const found = outsideText(outside);
  if (outside.verdict === 'unreadable') return `${OUTSIDE}: unknown: ${found}`;
  return `${OUTSIDE} is not ${claimText(facts.assertion)}${waitedText(facts)}: ${found}`;
}

/** The gateways that may reconnect to a profile; null: none. */
function awayText(
  { watched }: AssertFacts,
  { profileState: { profile } }: Judgement,
): string | null {
  const departed = watched?.reached ? watched.departed : [];
  const its = departed.filter((departedGateway) => departedGateway.profile === profile);
  return its.length === 0 ? null : departedText(its);
}

/** Why the states of a chain could not be read. */
const causeText = (states: Judgement['profileState']['states']): string =>
  states
    .flatMap((state) => notSeenIn(state) ?? [])
    .map(unreadText)
    .join(', ');

/** ` within 30s`; empty without --within. */
export const waitedText = ({ waitedMs }: AssertFacts): string =>
  waitedMs === null ? '' : ` within ${span(waitedMs)}`;

export function assertDocument(facts: AssertFacts): { [key: string]: Json } {
  const { session, assertion, judgements, unknownProfiles, holds, waitedMs, watched, look } = facts;
  return {
    schema: 'fleet/assert/v1',
    ...rootJson(session.root),
    claim: assertion.claim,
    holder: 'holder' in assertion ? assertion.holder : null,
    holds,
    waited_ms: waitedMs === null ? null : Math.round(waitedMs),
    timed_out: waitedMs !== null && !holds,
    profiles_unreadable: unknownProfiles,
    judgements: judgements.map(({ profileState, verdict, drain }) => ({
      profile: profileState.profile,
      verdict,
      ...chainJson(profileState.states),
      holders: holdersOf(profileState.states),
      unreadable: profileState.states.flatMap((state) => unreadableIn(state) ?? [])[0] ?? null,
      drain: drain === undefined ? null : profileDrainJson(drain.one),
      ...accountJson(watched, profileState.profile),
    })),
    watcher: look === undefined ? watcherJson(watched) : watcherJsonOf(look),
    outsiders: outsidersJson(watched),
    unserved: look === undefined ? unservedJson(watched) : unservedByLook(look),
    skipped: session.selection.missing,
    labels_unknown: session.selection.unreadLabels.map(({ name }) => name),
  };
}

/** For CI systems: a profile that may match the labels was not judged. */
export const labelsUnknownText = ({ name, why }: UnreadLabels): string =>
  `${name}: unknown: its labels cannot be read: ${why.map(visible).join('; ')}`;

/** In chain order; null: an anonymous hold. */
const holdersOf = (states: Judgement['profileState']['states']): Json =>
  states.flatMap(({ check }) => (check.engaged ? check.holds.map(({ holder }) => holder) : []));
