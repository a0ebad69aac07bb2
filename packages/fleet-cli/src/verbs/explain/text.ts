/**
 * The output of `fleet explain`: the holds of a chain, nearest scope first, work in hand and gateways.
 */
import type { Because, Ruling } from '@fleet-estop/sentinel-core';
import {
  deadline,
  headline,
  howToLift,
  liftCommand,
  placedBy,
  profileName,
  scopeName,
  sinceText,
  whoMayPass,
} from '../../fleet/hold-text.ts';
import { holdJson, rootJson, scopeJson, stateJson } from '../../fleet/json.ts';
import { reappearedText } from '../../fleet/reappeared-holds.ts';
import { isHeld, sentinelOf } from '../../fleet/state.ts';
import { unlistedNotices, unreadNotices } from '../../fleet/unread-text.ts';
import { type WorkInHand, workJson } from '../../fleet/work-in-hand.ts';
import { titleOf, wedgedText, workOwner, workProgress, workSince } from '../../fleet/work-text.ts';
import { counted, type Field, fields } from '../../text/fields.ts';
import type { Json } from '../../text/json.ts';
import type { View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import { unreadText } from '../../text/why.ts';
import {
  accountJson,
  accountLines,
  justStartedLines,
  outsidersJson,
  sharesLines,
  unknownText,
  unservedJson,
  watcherJson,
} from '../../watcher-client/gateways-text.ts';
import type { ExplainedProfile, ExplainFacts } from './facts.ts';

/** Wedged work to list for one profile. */
const MAX_WEDGED = 5;

export function explainLines(facts: ExplainFacts, view: View): string[] {
  const { session, explained, heldAlone } = facts;
  const lines = [`root ${visible(session.root.root)} (${session.root.source})`];
  for (const one of explained) lines.push('', ...profileLines(facts, one, view));
  if (heldAlone.length > 0) {
    const count = counted(heldAlone.length, 'profile');
    lines.push('', `with holds of their own, ${count} (see -p): ${heldAlone.join(', ')}`);
  }
  for (const name of session.selection.missing) {
    lines.push('', `skipped ${name}: there is no such profile`);
  }
  return [...lines, '', ...gatewayLines(facts)];
}

/** Each gateway of the selected profiles by name; a summary if only the root was asked for. */
function gatewayLines({ session, explained, watched }: ExplainFacts): string[] {
  if (!watched.reached) return [unknownText(watched)];
  if (session.selection.profiles === null) return sharesLines(watched, ' (see -p)');
  const lines = explained.flatMap(({ profileState: { profile } }) => {
    const account = watched.accounts.get(profile ?? '');
    return account === undefined ? [] : accountLines(account);
  });
  return [...lines, ...justStartedLines(watched)];
}

function profileLines(facts: ExplainFacts, explained: ExplainedProfile, view: View): string[] {
  const { profileState, rulings } = explained;
  const lines = [
    `${view.paint('bold', profileName(profileState.profile))}: ${verdictOf(facts, explained)}`,
  ];
  rulings.forEach((ruling, at) => {
    lines.push(`${at + 1}. ${scopeName(ruling.scope)} by ${headline(ruling.hold)}`);
    lines.push(...fields(rulingFields(facts, ruling)));
  });
  for (const { scope, check } of profileState.states) {
    if (!check.engaged && check.expired) {
      lines.push(`${scopeName(scope)}: it has only an expired hold, which is not yet retired`);
    }
  }
  return [...lines, ...workLines(explained.work, facts.session.nowMs)];
}

/** Shows the oldest work, and whatever makes no progress by its author's limit. */
function workLines(work: WorkInHand, nowMs: number): string[] {
  const { count, unproven, wedged, complete, oldest } = work;
  const more = complete ? [] : ['part of the register of work cannot be read: see fleet doctor'];
  if (oldest === null) return more;
  const [title, since, owner] = [titleOf(oldest), workSince(oldest, nowMs), workOwner(oldest)];
  const progress = oldest.wedged ? '' : workProgress(oldest, nowMs);
  const doubt = unproven === 0 ? '' : ` (${unproven} not known to run: see fleet doctor)`;
  const which = count === 1 ? `1 in hand${doubt}` : `${count} in hand${doubt}, the oldest`;
  const shown = wedged
    .slice(0, MAX_WEDGED)
    .map((one) => `wedged: ${visible(`${wedgedText(one, nowMs)}, of ${workOwner(one)}`)}`);
  const others = wedged.length - shown.length;
  return [
    `${which}: ${visible(`${title}, since ${since}, of ${owner}${progress}`)}`,
    ...shown,
    ...(others === 0 ? [] : [`and ${others} more wedged`]),
    ...more,
  ];
}

function verdictOf(
  { user }: ExplainFacts,
  { profileState, rulings, admitted }: ExplainedProfile,
): string {
  if (!isHeld(profileState.states)) return 'running: nothing holds it, new work is admitted';
  const holds = counted(rulings.length, 'hold');
  if (user === null) return `paused by ${holds}`;
  const verdict = admitted ? 'ADMITTED' : 'REFUSED';
  return `paused by ${holds}; new work of \`${visible(user)}\` is ${verdict}`;
}

function rulingFields({ session, user, reappearedHolds }: ExplainFacts, ruling: Ruling): Field[] {
  const { root, nowMs } = session;
  const { scope, hold, verdict, because } = ruling;
  const end = reappearedHolds.get(hold.id);
  return [
    ['file', visible(sentinelOf(scope))],
    ['hold', visible(hold.id)],
    ['since', sinceText(hold, nowMs)],
    ['until', deadline(hold, nowMs)],
    ...(end === undefined ? [] : [['came back', reappearedText(end)] as const]),
    ['placed by', placedBy(hold)],
    ['may pass', whoMayPass(hold.unreadable === undefined ? hold.allow : null)],
    [verdict, because === 'unreadable' ? unreadableText(hold.unreadable) : BECAUSE[because](user)],
    ['lift with', howToLift(root, scope, hold)],
  ];
}

const unreadableText = (why = 'unknown'): string =>
  why === 'empty'
    ? 'the file is empty, so nobody passes'
    : `it cannot be read, so it holds: ${unreadText(why)}`;

const named = (user: string | null): string =>
  user === null ? 'the user' : `\`${visible(user)}\``;

const BECAUSE: Record<Exclude<Because, 'unreadable'>, (user: string | null) => string> = {
  listed: (user) => `its allowlist names ${named(user)}`,
  'no-allowlist': () => 'it has no allowlist, so nobody passes',
  'no-principal': () => 'no user is named (--user), and it lets only named users pass',
  'user-not-listed': (user) => `its allowlist does not name ${named(user)}`,
  'profile-not-listed': (user) => `its allowlist names ${named(user)}, but not on this profile`,
  overdue: () => 'its deadline has passed, but this user may not remove the file, so it holds',
  'top-level-disagrees': () =>
    'the top level of the file, which older readers use, lets fewer users pass',
};

/** For stderr: state that could not be read, and counts as held. */
export function explainNotices({ session, explained }: ExplainFacts): string[] {
  const states = explained.flatMap(({ profileState }) => profileState.states);
  return [...unreadNotices(states), ...unlistedNotices(session.selection)];
}

export function explainDocument(facts: ExplainFacts): { [key: string]: Json } {
  const { session, user, explained, heldAlone, watched, reappearedHolds } = facts;
  const { root, nowMs } = session;
  return {
    schema: 'fleet/explain/v1',
    ...rootJson(root),
    user,
    lanes: explained.map(({ profileState, rulings, admitted, work }) => ({
      profile: profileState.profile,
      state: isHeld(profileState.states) ? 'paused' : 'free',
      admitted,
      scopes: profileState.states.map((state) => stateJson(state, nowMs)),
      rulings: rulings.map(({ scope, hold, verdict, because }) => ({
        scope: scopeJson(scope),
        hold: holdJson(hold, nowMs),
        verdict,
        because,
        lift_command: liftCommand(root, scope, hold),
        ended_before: reappearedHolds.get(hold.id)?.at ?? null,
      })),
      work: workJson(work),
      ...accountJson(watched, profileState.profile),
    })),
    lanes_held: heldAlone,
    watcher: watcherJson(watched),
    outsiders: outsidersJson(watched),
    unserved: unservedJson(watched),
    skipped: session.selection.missing,
  };
}
