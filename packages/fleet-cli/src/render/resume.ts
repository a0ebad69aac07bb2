/**
 * What `fleet resume` says: what was lifted, and everything that holds all the same.
 */
import {
  couldNotLook,
  type Hold,
  type LiftSelection,
  type RootChoice,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import type { Resuming } from '../commands/resume.ts';
import { isOfAnother } from '../holder.ts';
import type { Session } from '../session.ts';
import { isHeld, type Lane } from '../state.ts';
import { bodyFields, bodyJson, outcomeWord } from './dry-run.ts';
import { counted, type Field, fields } from './fields.ts';
import {
  deadline,
  headline,
  holderName,
  howToLift,
  laneName,
  liftCommand,
  notByYou,
  placedBy,
  scopeName,
  sinceText,
} from './holds.ts';
import { chainJson, holdJson, type Json, rootJson, scopeJson, stateJson } from './json.ts';
import { unconfirmedLines } from './unread.ts';
import type { View } from './view.ts';
import { visible } from './visible.ts';
import { unreadText, whyText } from './why.ts';

export interface ResumeFacts {
  readonly session: Session;
  readonly selection: LiftSelection;
  readonly resumings: readonly Resuming[];
  /** Profiles with holds of their own, after the root was resumed. */
  readonly stillHeld: readonly Lane[];
}

const nameOf = ({ target: { profile } }: Resuming): string => profile ?? 'the root';

export function resumeLines({ session, resumings, stillHeld }: ResumeFacts, view: View): string[] {
  const lines = resumings.flatMap((resuming) => resumingLines(session, resuming, view));
  for (const { profile, states } of stillHeld) {
    const own = states.slice(0, 1);
    lines.push(
      `${laneName(profile)} has holds of its own and stays paused`,
      ...fields(remainingFields(session.root, own, session.nowMs)),
    );
  }
  for (const name of session.selection.missing) {
    lines.push(`skipped ${name}: there is no such profile`);
  }
  return lines;
}

function resumingLines(session: Session, resuming: Resuming, view: View): string[] {
  const { root, nowMs } = session;
  const { result, retired, after } = resuming;
  const facts: Field[] = [['root', `${visible(root.root)} (${root.source})`]];
  const lifted = 'surprise' in result || !result.lifted ? [] : result.holds;
  for (const hold of lifted) facts.push(...liftedFields(hold, nowMs));
  if (retired?.retired) facts.push(['removed', 'a hold that had expired']);
  facts.push(...remainingFields(root, after, nowMs));
  facts.push(...bodyFields(session, resuming.target.scope));
  return [titleOf(session, resuming, lifted.length > 0, view), ...fields(facts)];
}

/** Whose hold it was: whoever lifts by a name that others use as well must see what is gone. */
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
  return `nothing was held: ${name} is free`;
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

export function resumeNotices({ resumings, selection }: ResumeFacts): string[] {
  return resumings.flatMap((resuming) => {
    const { result, after } = resuming;
    const name = nameOf(resuming);
    if ('surprise' in result) return unconfirmedLines(name, result.surprise);
    const notices: string[] = [];
    if (!result.lifted && !BENIGN.has(result.why)) {
      const why = result.remaining.some(({ unreadable }) => unreadable === result.why)
        ? `its sentinel was left alone, since whose holds it has is not known: ${unreadText(result.why)}`
        : whyText(result.why);
      notices.push(
        isHeld(after)
          ? `NOT resumed: ${name}: ${why}`
          : `warning: nothing holds ${name} now, but this lift did not end it: ${why}`,
      );
    }
    const unseen = result.lifted
      ? result.holds.find((hold) => couldNotLook(hold.unreadable))
      : null;
    if (unseen?.unreadable !== undefined) {
      const why = unreadText(unseen.unreadable);
      notices.push(`warning: whose holds were lifted from ${name} is not known: ${why}`);
    }
    for (const folder of result.lifted ? (result.setAside ?? []) : []) {
      const where = visible(`${resuming.target.scope.dir}/${folder}`);
      notices.push(`a folder stood in place of the sentinel; what is in it is now ${where}`);
    }
    if (isHeld(after)) {
      notices.push(`NOT resumed: ${name} is still paused: ${heldBy(after)}`);
      if (!result.lifted && result.why === 'not-held') notices.push(noneOf(selection, name));
    }
    for (const hold of result.lifted ? result.holds.filter(isOfAnother) : []) {
      notices.push(
        `warning: the hold of \`${holderName(hold)}\` that was lifted from ${name} ${notByYou(hold)}`,
      );
    }
    const left = whatIsLeft(resuming);
    if (left !== null) notices.push(`warning: an expired hold still lies in ${name}: ${left}`);
    return notices;
  });
}

const noneOf = (selection: LiftSelection, name: string): string =>
  'holder' in selection
    ? `  no hold of \`${visible(selection.holder)}\` stands in ${name}; --as lifts another holder's`
    : `  no such hold stands in ${name}`;

/** Why an expired hold lies there still: it could not be removed, or a lift of ours left it. */
function whatIsLeft({ result, retired, after }: Resuming): string | null {
  if (isHeld(after)) return null;
  if (retired !== null) return retired.retired ? null : whyText(retired.why);
  const isLeft = after.some(({ check }) => !check.engaged && check.expired);
  return !('surprise' in result) && result.lifted && isLeft ? whyText('uncertain') : null;
}

/** Reasons for not lifting anything that are no failure by themselves: the state afterwards decides. */
const BENIGN: ReadonlySet<string> = new Set(['absent', 'expired', 'not-held']);

function heldBy(states: readonly ScopeState[]): string {
  const held = states.flatMap(({ scope, check }) =>
    check.engaged ? [`${counted(check.holds.length, 'hold')} in ${scopeName(scope)}`] : [],
  );
  return held.join(', ');
}

/** `wait`: what waiting for gateways came to; null: nobody waited. */
export function resumeDocument(
  { session, resumings, stillHeld }: ResumeFacts,
  wait: Json,
): { [key: string]: Json } {
  const { root, nowMs } = session;
  return {
    schema: 'fleet/resume/v1',
    ...rootJson(root),
    dry_run: session.dryRun === true,
    results: resumings.map(({ target, result, retired, after }) => ({
      ...scopeJson(target.scope),
      lifted:
        'surprise' in result || !result.lifted ? [] : result.holds.map((h) => holdJson(h, nowMs)),
      placed_by_others:
        'surprise' in result || !result.lifted
          ? []
          : result.holds.filter(isOfAnother).map(({ id }) => id),
      why: 'surprise' in result ? result.surprise : result.lifted ? null : result.why,
      expired_removed: retired?.retired === true,
      ...bodyJson(session, target.scope),
      ...chainJson(after),
      remaining: remainingJson(root, after, nowMs),
    })),
    lanes_held: stillHeld.map(({ profile, states: [own] }) => ({
      profile,
      scope: own === undefined ? null : stateJson(own, nowMs),
    })),
    wait,
    skipped: session.selection.missing,
  };
}

const remainingJson = (root: RootChoice, after: readonly ScopeState[], nowMs: number): Json =>
  after.flatMap(({ scope, check }) =>
    check.engaged
      ? check.holds.map((hold) => ({
          scope: scopeJson(scope),
          hold: holdJson(hold, nowMs),
          lift_command: liftCommand(root, scope, hold),
        }))
      : [],
  );
