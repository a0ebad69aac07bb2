/**
 * What `fleet resume` prints on stdout: what was lifted, and everything that still holds.
 * What it prints on stderr is `notices.ts`.
 */
import type { Hold, MissedChoice, RootChoice, ScopeState } from '@fleet-estop/sentinel-core';
import { bodyFields, outcomeWord } from '../../dry-run/text.ts';
import {
  deadline,
  headline,
  howToLift,
  placedBy,
  profileName,
  scopeName,
  sinceText,
} from '../../fleet/hold-text.ts';
import type { Session } from '../../fleet/session.ts';
import { isHeld } from '../../fleet/state.ts';
import { type Field, fields } from '../../text/fields.ts';
import type { View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import { nameOf, type ResumeFacts } from './notices.ts';
import type { Resuming } from './resume-scope.ts';

export function resumeLines(facts: ResumeFacts, view: View): string[] {
  const { session, resumings, stillHeld } = facts;
  const lines = resumings.flatMap((resuming) => resumingLines(facts, resuming, view));
  for (const { profile, states } of stillHeld) {
    const own = states.slice(0, 1);
    lines.push(
      `${profileName(profile)} has holds of its own and stays paused`,
      ...fields(remainingFields(session.root, own, session.nowMs)),
    );
  }
  for (const name of session.selection.missing) {
    lines.push(`skipped ${name}: there is no such profile`);
  }
  return lines;
}

function resumingLines(
  { session, operation, missed }: ResumeFacts,
  resuming: Resuming,
  view: View,
) {
  const { root, nowMs } = session;
  const { result, retired, after } = resuming;
  const facts: Field[] = [['root', `${visible(root.root)} (${root.source})`]];
  const lifted = 'unexpectedError' in result || !result.lifted ? [] : result.holds;
  if (operation !== null) facts.push(['operation', operation]);
  for (const hold of lifted) facts.push(...liftedFields(hold, nowMs));
  if (missed !== null && lifted.length > 0) facts.push(['missed work', MISSED[missed]]);
  if (retired?.retired) facts.push(['removed', 'a hold that had expired']);
  facts.push(...remainingFields(root, after, nowMs));
  facts.push(...bodyFields(session, resuming.target.scope));
  return [titleOf(session, resuming, lifted.length > 0, view), ...fields(facts)];
}

/** What gateways are told. Whether they obey is known only to them. */
const MISSED: { readonly [choice in MissedChoice]: string } = {
  skip: 'skip: gateways are told not to run it',
  'catch-up': 'catch-up: gateways are told to run it',
  ask: 'ask: gateways are told to run none of it until somebody decides there',
};

/** Details of a lifted hold, because several people may share a holder's name. */
const liftedFields = (hold: Hold, nowMs: number): Field[] => [
  ['lifted', headline(hold)],
  ['since', sinceText(hold, nowMs)],
  ['was until', deadline(hold, nowMs)],
  ['placed by', placedBy(hold)],
];

function titleOf(session: Session, resuming: Resuming, lifted: boolean, { paint }: View): string {
  const name = nameOf(resuming);
  if (isHeld(resuming.after)) {
    const word = session.dryRun ? 'WOULD STILL BE PAUSED' : 'STILL PAUSED';
    return `${paint('yellow', word)} ${name}`;
  }
  if (lifted) {
    const word = paint('green', outcomeWord(session, 'RESUMED'));
    return `${word} ${name}: ${session.dryRun ? 'nothing else holds it' : 'nothing holds it'}`;
  }
  return `nothing was held: ${name} is running`;
}

function remainingFields(root: RootChoice, after: readonly ScopeState[], nowMs: number): Field[] {
  return after.flatMap(({ scope, check }) =>
    check.engaged
      ? check.holds.flatMap((hold): Field[] => [
          ['held in', `${scopeName(scope)} by ${headline(hold)}`],
          ['until', deadline(hold, nowMs)],
          ['lift with', howToLift(root, scope, hold)],
        ])
      : [],
  );
}
