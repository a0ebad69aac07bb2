/**
 * What `fleet pause` prints on stdout, only from what was read back from disk after the write: three
 * lines for a scope, all details with `--verbose`, a summary for many scopes.
 * What it prints on stderr is `notices.ts`.
 */
import { type ArmResult, DEFAULT_PROFILE, type Hold } from '@fleet-estop/sentinel-core';
import { bodyFields, outcomeWord } from '../dry-run/text.ts';
import { mayPass } from '../fleet/allowlist.ts';
import {
  deadline,
  headline,
  holderName,
  howToLift,
  placedBy,
  resumeCommand,
  scopeName,
  whoMayPass,
} from '../fleet/hold-text.ts';
import { isOfAnother } from '../fleet/holder.ts';
import { replacedFields } from '../fleet/replaced-text.ts';
import type { Session } from '../fleet/session.ts';
import { sentinelOf } from '../fleet/state.ts';
import { counted, type Field, fields } from '../text/fields.ts';
import type { View } from '../text/view.ts';
import { shellOption, visible } from '../text/visible.ts';
import { nameOf, othersIn, type PauseFacts } from './notices.ts';
import { type Pausing, stillStands } from './pause-scope.ts';

/** More scopes than this are summarised. */
const MANY = 20;
/** How many names a line of the summary lists. */
const MAX_NAMED = 8;

interface HeldScope {
  readonly pausing: Pausing;
  readonly result: Extract<ArmResult, { armed: true }>;
}

export function pauseLines(facts: PauseFacts, view: View): string[] {
  const { session, pausings, verbose } = facts;
  const held = heldScopesOf(pausings);
  const isLong = verbose || (session.dryRun === true && pausings.length <= MANY);
  const lines =
    pausings.length > MANY && !isLong
      ? summaryLines(facts, held, view)
      : held.flatMap((one) => (isLong ? longLines : briefLines)(facts, one, view));
  for (const name of session.selection.missing) {
    lines.push(`skipped ${name}: there is no such profile`);
  }
  return lines;
}

/** With `--quiet`: the id of each placed hold, in the order of the selection. */
export const pauseIds = ({ session, pausings }: PauseFacts): string[] =>
  heldScopesOf(session.dryRun ? [] : pausings).map(({ result }) => visible(result.hold.id));

const heldScopesOf = (pausings: readonly Pausing[]): HeldScope[] =>
  pausings.flatMap((pausing) => {
    const { result, after } = pausing;
    if ('unexpectedError' in result || !result.armed || !stillStands(result, after)) return [];
    return [{ pausing, result }];
  });

function titleOf(session: Session, { pausing, result }: HeldScope): string {
  if (pausing.alreadyHeld) return 'ALREADY HELD';
  return outcomeWord(session, result.replaced === null ? 'PAUSED' : 'PAUSED again');
}

/** The root, and the operation id if this call changed something. */
function placeText({ session: { root }, operation }: PauseFacts, { pausing }: HeldScope): string {
  const id = operation === null || pausing.alreadyHeld ? '' : `, ${operation}`;
  return `in ${visible(root.root)} (${root.source})${id}`;
}

function briefLines(facts: PauseFacts, one: HeldScope, view: View): string[] {
  const { root, nowMs } = facts.session;
  const { pausing, result } = one;
  const { hold, replaced } = result;
  const title = view.paint('yellow', titleOf(facts.session, one));
  return [
    `${title} ${nameOf(pausing)}${coverNote(pausing)} ${placeText(facts, one)}`,
    ...fields([
      ['held by', heldByText(one, nowMs)],
      ['lift with', howToLift(root, pausing.target.scope, hold)],
      ...(pausing.alreadyHeld && isOfAnother(hold) ? [['placed by', placedBy(hold)] as const] : []),
      ...alsoHeldBy(pausing, hold),
      ...(replaced === null ? [] : replacedFields(hold, replaced, nowMs)),
    ]),
  ];
}

/** `alice until lifted, u1 may pass: bad deploy`. */
function heldByText({ pausing, result: { hold } }: HeldScope, nowMs: number): string {
  const until = hold.expiresAt === null ? 'lifted' : deadline(hold, nowMs);
  const passes = whoMayPass(mayPass(pausing.after));
  const passing = passes === 'nobody' ? '' : `, ${passes} may pass`;
  const reason = hold.reason === null ? 'no reason given' : visible(hold.reason);
  return `${holderName(hold)} until ${until}${passing}: ${reason}`;
}

function coverNote({ covers, target: { profile } }: Pausing): string {
  if (covers === null) return '';
  if (profile === null) return ` (${counted(withoutDefault(covers).length, 'profile')})`;
  const [, ...shared] = covers;
  return shared.length === 0 ? '' : ` (and by a link to the same folder ${shared.join(', ')})`;
}

function summaryLines(facts: PauseFacts, held: readonly HeldScope[], view: View): string[] {
  const { session, operation } = facts;
  const titles = [...new Set(held.map((one) => titleOf(session, one)))];
  const groups = titles.map((title) => ({
    title,
    group: held.filter((one) => titleOf(session, one) === title),
  }));
  groups.sort((one, other) => other.group.length - one.group.length);
  const heads = groups.flatMap(({ title, group }) => {
    const [first] = group;
    if (first === undefined) return [];
    const firstFew = group.length <= MAX_NAMED;
    const names = firstFew ? `: ${group.map(({ pausing }) => nameOf(pausing)).join(', ')}` : '';
    const count = counted(group.length, 'profile');
    return [`${view.paint('yellow', title)} ${count} ${placeText(facts, first)}${names}`];
  });
  if (heads.length === 0) return [];
  const heldBy = [...new Set(held.map((one) => heldByText(one, session.nowMs)))];
  const undo = `${resumeCommand(session.root, null)} ${shellOption('--undo', operation ?? '')}`;
  return [
    ...heads,
    ...fields([
      ['held by', heldBy.length === 1 ? (heldBy[0] ?? '') : 'not the same everywhere: see -v'],
      ...(operation === null ? [] : [['undo with', undo] as const]),
    ]),
  ];
}

function longLines(facts: PauseFacts, one: HeldScope, view: View): string[] {
  const { session, operation } = facts;
  const { root, nowMs } = session;
  const { pausing, result } = one;
  const { scope } = pausing.target;
  const { hold } = result;
  const isOperation = operation !== null && !pausing.alreadyHeld;
  const pairs: Field[] = [
    ['root', `${visible(root.root)} (${root.source})`],
    ['sentinel', visible(sentinelOf(scope))],
    ['holder', holderName(hold)],
    ['hold', visible(hold.id)],
    ...(isOperation ? [['operation', operation] as const] : []),
    ['reason', hold.reason === null ? 'none given' : visible(hold.reason)],
    ['until', deadline(hold, nowMs)],
    ['may pass', whoMayPassText(pausing, hold)],
    ['covers', coversText(session, pausing)],
    ...(pausing.alreadyHeld ? [['placed by', placedBy(hold)] as const] : []),
    ...alsoHeldBy(pausing, hold),
    ['lift with', howToLift(root, scope, hold)],
    ...(result.replaced === null ? [] : replacedFields(hold, result.replaced, nowMs)),
    ...bodyFields(session, scope),
  ];
  return [`${view.paint('yellow', titleOf(session, one))} ${nameOf(pausing)}`, ...fields(pairs)];
}

/** Who may pass the whole chain, and whom this hold alone would let through if that differs. */
function whoMayPassText({ after }: Pausing, hold: Hold): string {
  const all = whoMayPass(mayPass(after));
  const own = whoMayPass(hold.allow);
  return all === own ? all : `${all} (this hold alone: ${own})`;
}

/** Counts as `status` does: the root's own profile is not counted, but named separately. */
const withoutDefault = (covers: readonly string[]): string[] =>
  covers.filter((name) => name !== DEFAULT_PROFILE);

function coversText({ dryRun }: Session, { covers, target }: Pausing): string {
  if (covers === null) return 'every profile; how many there are cannot be read';
  if (target.profile === null) {
    const profiles = withoutDefault(covers);
    const names = dryRun && profiles.length > 0 ? `: ${profiles.join(', ')}` : '';
    return `${counted(profiles.length, 'profile')}${names}, and the root's own profile \`${DEFAULT_PROFILE}\``;
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
