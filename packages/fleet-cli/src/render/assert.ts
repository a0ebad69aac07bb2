/**
 * What `fleet assert` shows: every judgement, one line each.
 */
import type { AssertFacts, Assertion, Judgement } from '../assert/judgement.ts';
import { unreadableIn } from '../state.ts';
import { accountJson, leaversText, shareText, unknownText, watcherJson } from './gateways.ts';
import { headline, laneName, scopeName } from './holds.ts';
import { chainJson, type Json, rootJson } from './json.ts';
import { span } from './time.ts';
import { unlistedText } from './unread.ts';
import type { Style, View } from './view.ts';
import { visible } from './visible.ts';
import { whyText } from './why.ts';

const MARKS: Record<Judgement['verdict'], readonly [string, Style]> = {
  pass: ['ok  ', 'green'],
  fail: ['FAIL', 'red'],
  unreadable: ['????', 'red'],
  none: ['-   ', 'dim'],
};

export function assertLines(facts: AssertFacts, { paint }: View): string[] {
  const { session, judgements } = facts;
  const width = Math.max(0, ...judgements.map(({ lane }) => laneName(lane.profile).length));
  const lines = judgements.map((judgement) => {
    const { lane, verdict } = judgement;
    const [mark, style] = MARKS[verdict];
    const name = laneName(lane.profile).padEnd(width);
    return `${paint(style, mark)}  ${name}  ${foundText(facts, judgement)}`;
  });
  for (const name of session.selection.missing) {
    lines.push(`skipped ${name}: there is no such profile`);
  }
  return lines;
}

/** What was found of a lane: who holds it, or who has acknowledged what holds it. */
export function foundText(facts: AssertFacts, judgement: Judgement): string {
  const { watched } = facts;
  const { lane, account } = judgement;
  if (account !== null) {
    const away = awayText(facts, judgement);
    return away === null ? shareText(account) : `${shareText(account)}; ${away}`;
  }
  return watched === null || watched.reached ? stateText(lane.states) : unknownText(watched);
}

function stateText(states: Judgement['lane']['states']): string {
  const holds = states.flatMap(({ scope, check }) =>
    check.engaged ? check.holds.map((hold) => `${headline(hold)} [${scopeName(scope)}]`) : [],
  );
  return holds.length === 0 ? 'free' : `paused by ${holds.join('; ')}`;
}

export const claimText = (assertion: Assertion): string =>
  'holder' in assertion ? `${assertion.claim} ${visible(assertion.holder)}` : assertion.claim;

/** For stderr: one line about what is not as claimed, one for each state that could not be read. */
export function assertNotices(facts: AssertFacts): string[] {
  const { assertion, judgements, unknownProfiles, watched } = facts;
  const notices: string[] = [];
  const failed = judgements.filter(({ verdict }) => verdict === 'fail');
  if (failed.length > 0) {
    const names = failed.map(({ lane }) => laneName(lane.profile)).join(', ');
    notices.push(`not ${claimText(assertion)}${waitedText(facts)}: ${names}`);
  }
  for (const judgement of judgements) {
    if (judgement.verdict !== 'unreadable') continue;
    if (watched?.reached === false) continue;
    notices.push(unjudgedText(facts, judgement));
  }
  if (watched?.reached === false) notices.push(unknownText(watched));
  if (watched?.reached && judgements.length === 0) {
    notices.push('not acknowledged: there is no profile, and so no gateway of one');
  }
  if (unknownProfiles !== null) {
    notices.push(unlistedText(unknownProfiles));
  }
  return notices;
}

/** Why a judgement is none. */
export function causeOf(facts: AssertFacts, judgement: Judgement): string {
  if (facts.watched?.reached === false) return unknownText(facts.watched);
  return causeText(judgement.lane.states) || (awayText(facts, judgement) ?? '');
}

/** That a judgement is none, and why. */
export function unjudgedText(facts: AssertFacts, judgement: Judgement): string {
  const { profile, states } = judgement.lane;
  const isHeld = facts.watched?.reached !== false && causeText(states) !== '';
  const meaning = isHeld ? ', which counts as held' : '';
  return `not known of ${laneName(profile)}${meaning}: ${causeOf(facts, judgement)}`;
}

/** Who may come back to a lane; null: nobody. */
function awayText({ watched }: AssertFacts, { lane: { profile } }: Judgement): string | null {
  const leavers = watched?.reached ? watched.leavers : [];
  const its = leavers.filter((leaver) => leaver.profile === profile);
  return its.length === 0 ? null : leaversText(its);
}

/** Why the states of a chain could not be read. */
const causeText = (states: Judgement['lane']['states']): string =>
  states
    .flatMap((state) => unreadableIn(state) ?? [])
    .map(whyText)
    .join(', ');

/** ` within 30s`; nothing where nobody waited. */
export const waitedText = ({ waitedMs }: AssertFacts): string =>
  waitedMs === null ? '' : ` within ${span(waitedMs)}`;

export function assertDocument(facts: AssertFacts): { [key: string]: Json } {
  const { session, assertion, judgements, unknownProfiles, holds, waitedMs, watched } = facts;
  return {
    schema: 'fleet/assert/v1',
    ...rootJson(session.root),
    claim: assertion.claim,
    holder: 'holder' in assertion ? assertion.holder : null,
    holds,
    waited_ms: waitedMs === null ? null : Math.round(waitedMs),
    timed_out: waitedMs !== null && !holds,
    profiles_unreadable: unknownProfiles,
    judgements: judgements.map(({ lane, verdict }) => ({
      profile: lane.profile,
      verdict,
      ...chainJson(lane.states),
      holders: holdersOf(lane.states),
      unreadable: lane.states.flatMap((state) => unreadableIn(state) ?? [])[0] ?? null,
      ...accountJson(watched, lane.profile),
    })),
    watcher: watcherJson(watched),
    skipped: session.selection.missing,
  };
}

/** In chain order; null: an anonymous hold. */
const holdersOf = (states: Judgement['lane']['states']): Json =>
  states.flatMap(({ check }) => (check.engaged ? check.holds.map(({ holder }) => holder) : []));
