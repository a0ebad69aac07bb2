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
import { bodyFields, bodyJson, outcomeWord } from '../../dry-run/text.ts';
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
} from '../../fleet/hold-text.ts';
import { isOfAnother } from '../../fleet/holder.ts';
import { chainJson, holdJson, rootJson, scopeJson, stateJson } from '../../fleet/json.ts';
import type { Session } from '../../fleet/session.ts';
import { isHeld, type Lane } from '../../fleet/state.ts';
import { unconfirmedLines } from '../../fleet/unread-text.ts';
import { counted, type Field, fields } from '../../text/fields.ts';
import type { Json } from '../../text/json.ts';
import type { View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import { unreadText, whyText } from '../../text/why.ts';
import type { Beyond, Left, Resuming } from './resume-scope.ts';

export interface ResumeFacts {
  readonly session: Session;
  readonly resumings: readonly Resuming[];
  /** Of a selection by labels: where this holder holds beside it. */
  readonly beyond: readonly Beyond[];
  /** The id of this call; null: it changed nothing. */
  readonly operation: string | null;
  /** The operation that was to be undone; null: none. */
  readonly undo: string | null;
  /** Profiles with holds of their own, after the root was resumed. */
  readonly stillHeld: readonly Lane[];
}

const nameOf = ({ target: { profile } }: Resuming): string => profile ?? 'the root';

export function resumeLines(facts: ResumeFacts, view: View): string[] {
  const { session, resumings, stillHeld } = facts;
  const lines = resumings.flatMap((resuming) => resumingLines(facts, resuming, view));
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

function resumingLines({ session, operation }: ResumeFacts, resuming: Resuming, view: View) {
  const { root, nowMs } = session;
  const { result, retired, after } = resuming;
  const facts: Field[] = [['root', `${visible(root.root)} (${root.source})`]];
  const lifted = 'surprise' in result || !result.lifted ? [] : result.holds;
  if (operation !== null) facts.push(['operation', operation]);
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

export function resumeNotices(facts: ResumeFacts): string[] {
  return [...noticesOf(facts), ...beyondLines(facts)];
}

/** How many lanes beside the selection are named. */
const MAX_NAMED = 8;

function beyondLines({ beyond }: ResumeFacts): string[] {
  if (beyond.length === 0) return [];
  const named = beyond.slice(0, MAX_NAMED);
  const more = beyond.length - named.length;
  return [
    'warning: holds of the same holder stand in lanes that do not have these labels, or no longer have:',
    ...named.flatMap(({ profile, holds }) =>
      holds.map((hold) => `  ${visible(profile)} by ${headline(hold)}`),
    ),
    ...(more === 0 ? [] : [`  and in ${counted(more, 'more lane')}`]),
  ];
}

function noticesOf({ resumings, undo }: ResumeFacts): string[] {
  return resumings.flatMap((resuming) => {
    const { asked, result, left, after } = resuming;
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
      if (left !== null) notices.push(...leftLines(name, undo ?? '', left));
      else if (!result.lifted && result.why === 'not-held') notices.push(noneOf(asked, name));
    }
    for (const hold of result.lifted ? result.holds.filter(isOfAnother) : []) {
      notices.push(
        `warning: the hold of \`${holderName(hold)}\` that was lifted from ${name} ${notByYou(hold)}`,
      );
    }
    const expired = whatIsLeft(resuming);
    if (expired !== null) {
      notices.push(`warning: an expired hold still lies in ${name}: ${expired}`);
    }
    return notices;
  });
}

function leftLines(name: string, undo: string, { why, holds }: Left): string[] {
  const id = `\`${visible(undo)}\``;
  return holds.map((hold) => {
    const stays = `hold ${visible(hold.id)}, ${headline(hold)}`;
    return why === 'replaced'
      ? `NOT lifted: ${name}: the hold that ${id} placed was replaced since, by ${stays}`
      : `NOT lifted: ${name}: it was held by \`${holderName(hold)}\` before ${id}, which only changed that hold: ${stays}`;
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
const BENIGN: ReadonlySet<string> = new Set(['absent', 'expired', 'not-held', 'changed']);

/** How many hold what could not be looked at, nobody knows. */
const heldText = (holds: readonly Hold[], name: string): string =>
  holds.every(({ unreadable }) => couldNotLook(unreadable))
    ? `${name} cannot be read, and counts as held`
    : `${counted(holds.length, 'hold')} in ${name}`;

function heldBy(states: readonly ScopeState[]): string {
  const held = states.flatMap(({ scope, check }) =>
    check.engaged ? [heldText(check.holds, scopeName(scope))] : [],
  );
  return held.join(', ');
}

/** `wait`: what waiting for gateways came to; null: nobody waited. */
export function resumeDocument(
  { session, resumings, stillHeld, beyond, operation, undo }: ResumeFacts,
  wait: Json,
): { [key: string]: Json } {
  const { root, nowMs } = session;
  return {
    schema: 'fleet/resume/v1',
    ...rootJson(root),
    dry_run: session.dryRun === true,
    operation,
    undone: undo,
    results: resumings.map(({ target, result, retired, left, after }) => ({
      ...scopeJson(target.scope),
      lifted:
        'surprise' in result || !result.lifted ? [] : result.holds.map((h) => holdJson(h, nowMs)),
      placed_by_others:
        'surprise' in result || !result.lifted
          ? []
          : result.holds.filter(isOfAnother).map(({ id }) => id),
      why: 'surprise' in result ? result.surprise : result.lifted ? null : result.why,
      left: left?.why ?? null,
      expired_removed: retired?.retired === true,
      ...bodyJson(session, target.scope),
      ...chainJson(after),
      remaining: remainingJson(root, after, nowMs),
    })),
    lanes_held: stillHeld.map(({ profile, states: [own] }) => ({
      profile,
      scope: own === undefined ? null : stateJson(own, nowMs),
    })),
    beyond_selection: beyond.map(({ profile, holds }) => ({
      profile,
      holds: holds.map((hold) => holdJson(hold, nowMs)),
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
