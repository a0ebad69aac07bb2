/**
 * What `fleet assert` shows: every judgement, one line each.
 */
import type { AssertFacts, Assertion, Judgement } from '../commands/assert.ts';
import { unreadableIn } from '../state.ts';
import { headline, laneName, scopeName } from './holds.ts';
import { chainJson, type Json, rootJson } from './json.ts';
import type { Style, View } from './view.ts';
import { visible } from './visible.ts';
import { whyText } from './why.ts';

const MARKS: Record<Judgement['verdict'], readonly [string, Style]> = {
  pass: ['ok  ', 'green'],
  fail: ['FAIL', 'red'],
  unreadable: ['????', 'red'],
};

export function assertLines({ session, judgements }: AssertFacts, { paint }: View): string[] {
  const width = Math.max(0, ...judgements.map(({ lane }) => laneName(lane.profile).length));
  const lines = judgements.map(({ lane, verdict }) => {
    const [mark, style] = MARKS[verdict];
    return `${paint(style, mark)}  ${laneName(lane.profile).padEnd(width)}  ${stateText(lane.states)}`;
  });
  for (const name of session.selection.missing) {
    lines.push(`skipped ${name}: there is no such profile`);
  }
  return lines;
}

function stateText(states: Judgement['lane']['states']): string {
  const holds = states.flatMap(({ scope, check }) =>
    check.engaged ? check.holds.map((hold) => `${headline(hold)} [${scopeName(scope)}]`) : [],
  );
  return holds.length === 0 ? 'free' : `paused by ${holds.join('; ')}`;
}

const claimText = (assertion: Assertion): string =>
  'holder' in assertion ? `${assertion.claim} ${visible(assertion.holder)}` : assertion.claim;

/** For stderr: one line about what is not as claimed, one for each state that could not be read. */
export function assertNotices({ assertion, judgements, unknownProfiles }: AssertFacts): string[] {
  const notices: string[] = [];
  const failed = judgements.filter(({ verdict }) => verdict === 'fail');
  if (failed.length > 0) {
    const names = failed.map(({ lane }) => laneName(lane.profile)).join(', ');
    notices.push(`not ${claimText(assertion)}: ${names}`);
  }
  for (const { lane, verdict } of judgements) {
    if (verdict !== 'unreadable') continue;
    const causes = lane.states.flatMap((state) => unreadableIn(state) ?? []);
    const name = laneName(lane.profile);
    notices.push(`not known of ${name}, which counts as held: ${causes.map(whyText).join(', ')}`);
  }
  if (unknownProfiles !== null) {
    notices.push(`which profiles there are cannot be read: ${whyText(unknownProfiles)}`);
  }
  return notices;
}

export function assertDocument({ session, assertion, judgements, unknownProfiles }: AssertFacts): {
  [key: string]: Json;
} {
  return {
    schema: 'fleet/assert/v1',
    ...rootJson(session.root),
    claim: assertion.claim,
    holder: 'holder' in assertion ? assertion.holder : null,
    holds: judgements.every(({ verdict }) => verdict === 'pass') && unknownProfiles === null,
    profiles_unreadable: unknownProfiles,
    judgements: judgements.map(({ lane, verdict }) => ({
      profile: lane.profile,
      verdict,
      ...chainJson(lane.states),
      holders: holdersOf(lane.states),
      unreadable: lane.states.flatMap((state) => unreadableIn(state) ?? [])[0] ?? null,
    })),
    skipped: session.selection.missing,
  };
}

/** In chain order; null: an anonymous hold. */
const holdersOf = (states: Judgement['lane']['states']): Json =>
  states.flatMap(({ check }) => (check.engaged ? check.holds.map(({ holder }) => holder) : []));
