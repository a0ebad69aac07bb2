/**
 * The messages of `--wait`: who has acknowledged, after how many milliseconds and with how much work in hand,
 * and who has not. They never claim that work has stopped, because no gateway reports that [12].
 */

import { counted, type Field, fields } from '../text/fields.ts';
import { span } from '../text/time.ts';
import type { View } from '../text/view.ts';
import { visible } from '../text/visible.ts';
import { processOf } from './account.ts';
import { type AckSnapshot, type Awaited, isComplete } from './ack-snapshot.ts';
import type { WaitReport } from './await-acknowledged.ts';
import { catchUpRows } from './catch-up.ts';
import {
  departedText,
  fullName,
  gatewayName,
  inHand,
  isUnjudged,
  listed,
  NO_VERDICT,
  noWatcherText,
  unservedTexts,
} from './gateways-text.ts';
import { outcomeOf } from './wait-outcome.ts';

/** The verb that waits. */
export type Awaiting = 'pause' | 'resume';

/** The entries of one gateway with the same status. */
interface Group {
  readonly first: Awaited;
  readonly entries: readonly Awaited[];
}

export function waitLines(report: WaitReport, awaiting: Awaiting, { paint }: View): string[] {
  const { snapshot } = report;
  if (snapshot === null) return [];
  const groups = groupsOf(snapshot);
  const rows = [
    ...groups.map(rowOf(groups)),
    ...otherRows(snapshot),
    ...(awaiting === 'resume' && report.end !== 'undone' ? catchUpRows(snapshot) : []),
  ];
  const isWhole = outcomeOf(report) === 'acknowledged';
  const head = paint(isWhole ? 'green' : 'yellow', headline(snapshot, isWhole));
  const ended = report.end === 'undone' ? `, ${UNTIL[awaiting]}` : '';
  const meaning = isWhole ? `: ${MEANING[awaiting]}` : ended;
  const { profiles, absent, unserved } = snapshot;
  const rest = unservedTexts(absent.length + unserved.length, profiles.length);
  return [[`${head}${meaning}`, ...rest].join('; '), ...(rows.length === 0 ? [] : fields(rows))];
}

/** What an acknowledgement means, and no more: work in hand goes on. */
const MEANING: Readonly<Record<Awaiting, string>> = {
  pause: 'the hold is in force there',
  resume: 'nothing holds new work there',
};

/** Used when the hold or lift was undone: the acknowledgements are from the time before. */
const UNTIL: Readonly<Record<Awaiting, string>> = {
  pause: 'as long as the hold stood',
  resume: 'as long as nothing held',
};

function headline({ serving }: AckSnapshot, isWhole: boolean): string {
  const all = new Set(serving.map(processOf));
  const lacking = new Set(
    serving.filter(({ ackStatus }) => ackStatus !== 'acknowledged').map(processOf),
  );
  const count = all.size - lacking.size;
  if (isWhole) return `ACKNOWLEDGED by ${all.size === 1 ? '' : 'all '}${counted(count, 'gateway')}`;
  if (count === 0) return 'acknowledged by nobody';
  return `acknowledged by ${count} of ${counted(all.size, 'gateway')}`;
}

const ORDER = ['acknowledged', 'silent', 'stale', 'gone', 'unknown'] as const;

function groupsOf({ serving }: AckSnapshot): Group[] {
  const groups = new Map<string, Awaited[]>();
  for (const entry of serving) {
    const key = JSON.stringify([processOf(entry), entry.ackStatus, entry.link]);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const found = [...groups.values()].flatMap((entries) =>
    entries[0] === undefined ? [] : [{ first: entries[0], entries }],
  );
  return ORDER.flatMap((ackStatus) => found.filter(({ first }) => first.ackStatus === ackStatus));
}

function rowOf(groups: readonly Group[]): (group: Group) => Field {
  const instances = new Map<string, Set<string>>();
  for (const { first } of groups) {
    const name = gatewayName(first);
    instances.set(name, (instances.get(name) ?? new Set()).add(first.instance));
  }
  return ({ first, entries }) => {
    const isAlone = instances.get(gatewayName(first))?.size === 1;
    const name = isAlone ? gatewayName(first) : fullName(first);
    const profiles = listed(entries.map(({ profile }) => profile));
    return [first.ackStatus, `${name}: ${profiles}; ${remarks(first, entries).join('; ')}`];
  };
}

function remarks(first: Awaited, entries: readonly Awaited[]): string[] {
  const work = inHand(entries.reduce((sum, { inFlight }) => sum + inFlight, 0));
  const afterMs = entries.map((entry) => entry.afterMs).filter((ms) => ms !== null);
  const after = afterMs.length === 0 ? [] : [`after ${Math.round(Math.max(...afterMs))} ms`];
  if (first.ackStatus !== 'acknowledged') {
    return first.ackStatus === 'gone' ? [`${work} when it was last heard`] : [work];
  }
  if (first.link === 'gone') return [...after, `${work} then; gone since`];
  return [...after, first.link === 'stale' ? `${work} when it was last heard` : work];
}

function otherRows({ absent, unserved, unshown, outsiders }: AckSnapshot): Field[] {
  const rows: Field[] = absent.map(({ profile, expected }) => [
    'absent',
    expected === 'expected'
      ? `${profile}: a gateway is expected, and none is connected`
      : `${profile}: none is connected, and whether one is expected cannot be read`,
  ]);
  if (unserved.length > 0) {
    rows.push(['no gateway', `${listed(unserved)}: none is connected, and none is expected`]);
  }
  if (unshown.length > 0) rows.push(['not seen', `${listed(unshown)}: by the watcher`]);
  for (const outsider of outsiders) {
    const what = `${gatewayName(outsider)}: \`${listed([outsider.profile])}\` is not a profile of this fleet`;
    const hasAcknowledged = outsider.ackStatus === 'acknowledged';
    rows.push(['outside', hasAcknowledged ? what : `${what}, and it has not acknowledged`]);
  }
  return rows;
}

/** For stderr, at once, if the watcher cannot be asked. */
export const unreachedNotice = (why: string, absent: boolean, timeoutMs: number): string =>
  `acknowledgements cannot be seen: ${noWatcherText({ why, absent })}; trying for ${span(timeoutMs)}`;

/** For stderr, after a while. */
export const waitingNotice = (snapshot: AckSnapshot): string =>
  `waiting for gateways (Ctrl-C ends only the waiting): ${lacking(snapshot)}`;

/** For stderr, at the end: what is not as awaited. */
export function waitNotices(report: WaitReport, awaiting: Awaiting): string[] {
  const { undone, snapshot, unreached, timeoutMs, waitedMs } = report;
  const time = span(timeoutMs);
  switch (outcomeOf(report)) {
    case 'acknowledged':
      return [];
    case 'undone':
      return [
        ...undone.map((what) => `NOT ${UNDONE[awaiting]} any more: ${visible(what)}`),
        `  until then: ${untilThen(report)}`,
      ];
    case 'partial':
      return [`NOT acknowledged by all in ${time}: ${lacking(snapshot)}`, ...outdated(report)];
    case 'nobody':
      return [`NOT acknowledged by anybody: ${nobodyText(snapshot)}`, STANDS[awaiting]];
    case 'no-watcher': {
      const why = visible(unreached ?? '?');
      return [
        `NOT known who has acknowledged: no watcher could be asked in ${time}: ${why}`,
        STANDS[awaiting],
      ];
    }
    case 'not-shown':
      return [
        `NOT known who has acknowledged: the watcher has not seen it in ${time}`,
        STANDS[awaiting],
        ...outdated(report),
      ];
    case 'interrupted':
      return [
        `interrupted after ${span(waitedMs)}: NOT acknowledged by all: ${lacking(snapshot)}`,
        STANDS[awaiting],
        ...outdated(report),
      ];
  }
}

/** A gateway may be connected that serves only names outside this fleet. */
const nobodyText = (snapshot: AckSnapshot | null): string =>
  snapshot === null || snapshot.outsiders.length === 0
    ? 'no gateway is connected'
    : 'no gateway of a profile is connected';

const UNDONE: Readonly<Record<Awaiting, string>> = { pause: 'paused', resume: 'running' };
const STANDS: Readonly<Record<Awaiting, string>> = {
  pause: '  the hold is on disk and stays in force',
  resume: '  the hold is lifted on disk',
};

function lacking(snapshot: AckSnapshot | null): string {
  if (snapshot === null) return 'no watcher could be asked';
  const { serving, absent, unshown, unlisted, outsiders, mayMissGateways, departed } = snapshot;
  const counts = ORDER.slice(1).map((ackStatus) => {
    const entries = serving.filter((entry) => entry.ackStatus === ackStatus);
    return [new Set(entries.map(processOf)).size, ackStatus] as const;
  });
  const parts = [
    ...counts,
    [absent.length, 'absent'] as const,
    [unshown.length, 'not seen'] as const,
    [outsiders.filter(({ ackStatus }) => ackStatus !== 'acknowledged').length, 'outside'] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`);
  if (unlisted !== null) parts.push(`the profiles cannot be listed (${visible(unlisted)})`);
  if (departed.length > 0) parts.push(departedText(departed));
  if (mayMissGateways) parts.push(JUST_STARTED);
  if (serving.some(isUnjudged)) parts.push(NO_VERDICT);
  return parts.length === 0 ? 'no gateway is connected' : parts.join(', ');
}

const JUST_STARTED = 'some may still be reconnecting, since the watcher has just started';

function untilThen({ snapshot }: WaitReport): string {
  if (snapshot === null) return 'who had acknowledged it is not known';
  return isComplete(snapshot)
    ? 'acknowledged by all'
    : `not acknowledged by all: ${lacking(snapshot)}`;
}

/** The last answer of a watcher that cannot be asked any more is old. */
const outdated = ({ snapshot, unreached }: WaitReport): string[] =>
  snapshot === null || unreached === null
    ? []
    : [
        `  as of the last answer of the watcher, which cannot be asked any more: ${visible(unreached)}`,
      ];
