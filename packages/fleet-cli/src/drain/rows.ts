/**
 * What keeps a selection from being drained, as named rows: work by profile and door, the oldest piece, and
 * who is silent. Shared by the progress and by the answer. Texts come from other processes, so they are
 * escaped.
 */
import type { WorkRecord } from '@fleet-estop/ledger';
import { titleOf, workOwner, workProgress, workSince } from '../fleet/work-text.ts';
import type { Field } from '../text/fields.ts';
import { instantOf, span } from '../text/time.ts';
import { visible } from '../text/visible.ts';
import { processOf } from '../watcher-client/account.ts';
import type { Awaited } from '../watcher-client/ack-snapshot.ts';
import { departedText, gatewayName, listed } from '../watcher-client/gateways-text.ts';
import { type DrainLook, isQuiet, type ProfileDrain } from './judge.ts';

/** How many doors one line counts, and how many parts of a register it names. */
const MAX_NAMED = 8;

/** `lane-a: 3 in hand: cron 1, turn 2 (1 wedged)`; what cannot be read is unknown, never nothing. */
export function countsText({ work, left, unreadable, unexplained }: ProfileDrain): string {
  const parts: string[] = [];
  if (work.length > 0) {
    const wedged = work.filter((one) => one.wedged).length;
    const stuck = wedged === 0 ? '' : ` (${wedged} wedged${excludedText(work, left)})`;
    parts.push(`${work.length} in hand: ${doorsText(work)}${stuck}`);
  }
  if (unexplained > 0) {
    parts.push(`${unexplained} in hand as its gateway reports, which its register does not have`);
  }
  if (unreadable.length > 0) {
    const named = unreadable.slice(0, MAX_NAMED).map(({ path, why }) => `${path}: ${why}`);
    parts.push(visible(`unknown: its register cannot be read whole (${named.join(', ')})`));
  }
  return parts.length === 0 ? 'nothing in hand' : parts.join('; ');
}

const excludedText = (work: readonly WorkRecord[], left: readonly WorkRecord[]): string =>
  left.length < work.length ? ', excluded' : '';

function doorsText(work: readonly WorkRecord[]): string {
  const doors = doorsOf(work);
  const shown = doors
    .slice(0, MAX_NAMED)
    .map(({ door, count }) => `${door === null ? '(unknown door)' : visible(door)} ${count}`);
  const more = doors.length - shown.length;
  return more > 0 ? `${shown.join(', ')}, and ${more} more doors` : shown.join(', ');
}

/** By name; the door of work whose claim cannot be read is null, and comes first. */
export function doorsOf(work: readonly WorkRecord[]): { door: string | null; count: number }[] {
  const counts = new Map<string | null, number>();
  for (const { door } of work) counts.set(door, (counts.get(door) ?? 0) + 1);
  return [...counts]
    .sort(([one], [other]) => (one ?? '').localeCompare(other ?? '', 'en'))
    .map(([door, count]) => ({ door, count }));
}

/** One piece of work: what it is, since when, whose, and when it last made progress. */
function workText(work: WorkRecord, nowMs: number): string {
  const limit = work.wedged && work.stallMs !== null ? `; its limit is ${span(work.stallMs)}` : '';
  const whole = `${titleOf(work)}, since ${workSince(work, nowMs)}, of ${workOwner(work)}`;
  return visible(`${whole}${workProgress(work, nowMs)}${limit}`);
}

/** Who has not acknowledged, or may be missing; none: everybody has, and nobody is missing. */
export function silentRows({ snapshot, unreached, silent }: DrainLook): Field[] {
  if (snapshot === null) return [];
  const rows: Field[] = [...bySender(silent)].map(([, [first, ...more]]) => [
    'silent',
    `${gatewayName(first)}: ${listed([first, ...more].map(({ profile }) => profile))}; ${statusText(first)}`,
  ]);
  const { absent, departed, outsiders, unshown, unlisted, mayMissGateways } = snapshot;
  for (const { profile } of absent) {
    rows.push([
      'absent',
      `${visible(profile)}: a gateway is or may be expected, and none is connected`,
    ]);
  }
  if (departed.length > 0) rows.push(['silent', departedText(departed)]);
  for (const one of outsiders.filter(({ ackStatus }) => ackStatus !== 'acknowledged')) {
    rows.push([
      'silent',
      `${gatewayName(one)}: ${listed([one.profile])}, which is no profile here`,
    ]);
  }
  if (unshown.length > 0) rows.push(['not seen', `${listed(unshown)}: by the watcher`]);
  if (unlisted !== null)
    rows.push(['unknown', `the profiles cannot be listed: ${visible(unlisted)}`]);
  if (mayMissGateways) {
    rows.push(['unknown', 'gateways may still be reconnecting: the watcher has just started']);
  }
  if (unreached !== null)
    rows.push(['unknown', `the watcher does not answer: ${visible(unreached)}`]);
  return rows;
}

const statusText = ({ ackStatus, link }: Awaited): string =>
  ackStatus === 'acknowledged' ? `it acknowledged, and is ${link} since` : ackStatus;

function bySender(silent: readonly Awaited[]): Map<string, [Awaited, ...Awaited[]]> {
  const found = new Map<string, [Awaited, ...Awaited[]]>();
  for (const one of silent) {
    const key = JSON.stringify([processOf(one), one.ackStatus, one.link]);
    const known = found.get(key);
    if (known === undefined) found.set(key, [one]);
    else known.push(one);
  }
  return found;
}

/** Profiles with work first in the order of the selection, at most `most` of them. */
export function workRows({ profiles, outside }: DrainLook, most: number): Field[] {
  const busy = profiles.filter((one) => !isQuiet(one));
  const rows = busy.slice(0, most).map((one): Field => [visible(one.profile), countsText(one)]);
  const more = busy.length - rows.length;
  if (more > 0) rows.push(['', `and ${more} more profiles with work in hand`]);
  if (outside > 0) rows.push(['outside', `${outside} in hand at names that are no profiles here`]);
  return rows;
}

/** The piece of work that has been in hand longest, of what must end; none: nothing of it is known. */
export function oldestRows({ profiles }: DrainLook, nowMs: number): Field[] {
  const since = (work: WorkRecord): number => instantOf(work.since) ?? Number.MIN_SAFE_INTEGER;
  const firsts = profiles.flatMap(({ profile, left: [first] }) =>
    first === undefined ? [] : [{ profile, work: first }],
  );
  firsts.sort((one, other) => since(one.work) - since(other.work));
  const [oldest] = firsts;
  return oldest === undefined
    ? []
    : [['oldest', `${visible(oldest.profile)}: ${workText(oldest.work, nowMs)}`]];
}

/** Each piece of wedged work, at most `most`. */
export function wedgedRows({ profiles }: DrainLook, nowMs: number, most: number): Field[] {
  const all = profiles.flatMap(({ profile, work }) =>
    work.filter(({ wedged }) => wedged).map((one) => ({ profile, one })),
  );
  const rows = all
    .slice(0, most)
    .map(({ profile, one }): Field => ['wedged', `${visible(profile)}: ${workText(one, nowMs)}`]);
  return all.length > rows.length
    ? [...rows, ['', `and ${all.length - rows.length} more wedged`]]
    : rows;
}
