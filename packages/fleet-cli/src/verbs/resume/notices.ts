/**
 * What `fleet resume` prints on stderr: what was not lifted, what still holds, and warnings.
 * What it prints on stdout is `text.ts`.
 */
import {
  couldNotLook,
  type Hold,
  type LiftSelection,
  type MissedChoice,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { headline, holderName, notByYou, scopeName } from '../../fleet/hold-text.ts';
import { isOfAnother } from '../../fleet/holder.ts';
import type { Session } from '../../fleet/session.ts';
import { isHeld, type ProfileState } from '../../fleet/state.ts';
import { unconfirmedLines } from '../../fleet/unread-text.ts';
import { counted } from '../../text/fields.ts';
import { visible } from '../../text/visible.ts';
import { unreadText, whyText } from '../../text/why.ts';
import type { LeftHolds, Resuming, UnselectedHolds } from './resume-scope.ts';

export interface ResumeFacts {
  readonly session: Session;
  readonly resumings: readonly Resuming[];
  /** With `-l`: profiles outside the selection that the same holder holds. */
  readonly unselected: readonly UnselectedHolds[];
  /** The id of this call; null: it changed nothing. */
  readonly operation: string | null;
  /** The operation of --undo; null: none. */
  readonly undo: string | null;
  /** The choice of --missed; null: not given. */
  readonly missed: MissedChoice | null;
  /** After the root was resumed: profiles that still have holds of their own. */
  readonly stillHeld: readonly ProfileState[];
}

export const nameOf = ({ target: { profile } }: Resuming): string => profile ?? 'the root';

export function resumeNotices(facts: ResumeFacts): string[] {
  return [...noticesOf(facts), ...unselectedLines(facts)];
}

/** How many profiles outside the selection are named. */
const MAX_NAMED = 8;

function unselectedLines({ unselected }: ResumeFacts): string[] {
  if (unselected.length === 0) return [];
  const named = unselected.slice(0, MAX_NAMED);
  const more = unselected.length - named.length;
  return [
    'warning: the same holder also holds profiles without these labels, or that lost them:',
    ...named.flatMap(({ profile, holds }) =>
      holds.map((hold) => `  ${visible(profile)} by ${headline(hold)}`),
    ),
    ...(more === 0 ? [] : [`  and in ${counted(more, 'more profile')}`]),
  ];
}

function noticesOf({ resumings, undo }: ResumeFacts): string[] {
  return resumings.flatMap((resuming) => {
    const { asked, result, left, after, unchosen } = resuming;
    const name = nameOf(resuming);
    if ('unexpectedError' in result) return unconfirmedLines(name, result.unexpectedError);
    const notices: string[] = [...unchosen];
    if (!result.lifted && !BENIGN.has(result.why)) {
      const why = result.remaining.some(({ unreadable }) => unreadable === result.why)
        ? `its sentinel was left unchanged, because its holds cannot be read: ${unreadText(result.why)}`
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
      notices.push(`warning: the holds that were lifted from ${name} could not be read: ${why}`);
    }
    for (const folder of result.lifted ? (result.setAside ?? []) : []) {
      const where = visible(`${resuming.target.scope.dir}/${folder}`);
      notices.push(`a folder was in the place of the sentinel; it was moved to ${where}`);
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
      notices.push(`warning: an expired hold is still in ${name}: ${expired}`);
    }
    return notices;
  });
}

function leftLines(name: string, undo: string, { why, holds }: LeftHolds): string[] {
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
    ? `  there is no hold of \`${visible(selection.holder)}\` in ${name}; --as lifts another holder's`
    : `  there is no such hold in ${name}`;

/** Why an expired hold is still there: it could not be removed, or the lift left it. null: there is none. */
function whatIsLeft({ result, retired, after }: Resuming): string | null {
  if (isHeld(after)) return null;
  if (retired !== null) return retired.retired ? null : whyText(retired.why);
  const isLeft = after.some(({ check }) => !check.engaged && check.expired);
  return !('unexpectedError' in result) && result.lifted && isLeft ? whyText('uncertain') : null;
}

/** Reasons for lifting nothing that are not failures: the state afterwards decides. */
const BENIGN: ReadonlySet<string> = new Set(['absent', 'expired', 'not-held', 'changed']);

/** Gives no number for a scope that could not be read. */
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
