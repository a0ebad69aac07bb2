/**
 * What `--wait` says: who has acknowledged, in how many milliseconds and with how much work in hand,
 * and by name who has not. Never that anything has stopped: nobody says so [12].
 */

import { counted, type Field, fields } from '../text/fields.ts';
import type { Json } from '../text/json.ts';
import { span } from '../text/time.ts';
import type { View } from '../text/view.ts';
import { visible } from '../text/visible.ts';
import { processOf } from './account.ts';
import type { WaitReport } from './await-acknowledged.ts';
import {
  fullName,
  gatewayName,
  inHand,
  leaversText,
  listed,
  noWatcherText,
  servingJson,
  unservedTexts,
} from './gateways-text.ts';
import { type Awaited, isComplete, type Picture } from './picture.ts';
import { outcomeOf } from './wait-outcome.ts';

/** What was done before the waiting. */
export type Awaiting = 'pause' | 'resume';

/** The entries of one gateway that stand alike. */
interface Group {
  readonly first: Awaited;
  readonly entries: readonly Awaited[];
}

export function waitLines(report: WaitReport, awaiting: Awaiting, { paint }: View): string[] {
  const { picture } = report;
  if (picture === null) return [];
  const groups = groupsOf(picture);
  const rows = [...groups.map(rowOf(groups)), ...otherRows(picture)];
  const isWhole = outcomeOf(report) === 'acknowledged';
  const head = paint(isWhole ? 'green' : 'yellow', headline(picture, isWhole));
  const ended = report.end === 'undone' ? `, ${UNTIL[awaiting]}` : '';
  const meaning = isWhole ? `: ${MEANING[awaiting]}` : ended;
  const { profiles, absent, unserved } = picture;
  const rest = unservedTexts(absent.length + unserved.length, profiles.length);
  return [[`${head}${meaning}`, ...rest].join('; '), ...(rows.length === 0 ? [] : fields(rows))];
}

/** No more than that: what is in hand goes on. */
const MEANING: Readonly<Record<Awaiting, string>> = {
  pause: 'the hold is in force there',
  resume: 'nothing holds new work there',
};

/** Where it is no longer so: what is said is of the time before. */
const UNTIL: Readonly<Record<Awaiting, string>> = {
  pause: 'as long as the hold stood',
  resume: 'as long as nothing held',
};

function headline({ serving }: Picture, isWhole: boolean): string {
  const all = new Set(serving.map(processOf));
  const lacking = new Set(
    serving.filter(({ standing }) => standing !== 'acknowledged').map(processOf),
  );
  const count = all.size - lacking.size;
  if (isWhole) return `ACKNOWLEDGED by ${all.size === 1 ? '' : 'all '}${counted(count, 'gateway')}`;
  if (count === 0) return 'acknowledged by nobody';
  return `acknowledged by ${count} of ${counted(all.size, 'gateway')}`;
}

const ORDER = ['acknowledged', 'silent', 'stale', 'gone'] as const;

function groupsOf({ serving }: Picture): Group[] {
  const groups = new Map<string, Awaited[]>();
  for (const entry of serving) {
    const key = JSON.stringify([processOf(entry), entry.standing, entry.link]);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const found = [...groups.values()].flatMap((entries) =>
    entries[0] === undefined ? [] : [{ first: entries[0], entries }],
  );
  return ORDER.flatMap((standing) => found.filter(({ first }) => first.standing === standing));
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
    return [first.standing, `${name}: ${profiles}; ${remarks(first, entries).join('; ')}`];
  };
}

function remarks(first: Awaited, entries: readonly Awaited[]): string[] {
  const work = inHand(entries.reduce((sum, { inFlight }) => sum + inFlight, 0));
  const afterMs = entries.map((entry) => entry.afterMs).filter((ms) => ms !== null);
  const after = afterMs.length === 0 ? [] : [`after ${Math.round(Math.max(...afterMs))} ms`];
  if (first.standing !== 'acknowledged') {
    return first.standing === 'gone' ? [`${work} when it was last heard`] : [work];
  }
  if (first.link === 'gone') return [...after, `${work} then; gone since`];
  return [...after, first.link === 'stale' ? `${work} when it was last heard` : work];
}

function otherRows({ absent, unserved, unshown, outsiders }: Picture): Field[] {
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
    const what = `${gatewayName(outsider)}: \`${listed([outsider.profile])}\` is no profile of this fleet`;
    const hasHeard = outsider.standing === 'acknowledged';
    rows.push(['outside', hasHeard ? what : `${what}, and it has not acknowledged`]);
  }
  return rows;
}

/** For stderr, at once, where nobody can be asked. */
export const unreachedNotice = (why: string, absent: boolean, timeoutMs: number): string =>
  `${noWatcherText({ why, absent })}: who acknowledges cannot be told; trying for ${span(timeoutMs)}`;

/** For stderr, after a while. */
export const waitingNotice = (picture: Picture): string =>
  `waiting for gateways (Ctrl-C ends the waiting, and nothing else): ${lacking(picture)}`;

/** For stderr, in the end: what is not as it was waited for. */
export function waitNotices(report: WaitReport, awaiting: Awaiting): string[] {
  const { undone, picture, unreached, timeoutMs, waitedMs } = report;
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
      return [`NOT acknowledged by all in ${time}: ${lacking(picture)}`, ...outdated(report)];
    case 'nobody':
      return [`NOT acknowledged by anybody: ${nobodyText(picture)}`, STANDS[awaiting]];
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
        `interrupted after ${span(waitedMs)}: NOT acknowledged by all: ${lacking(picture)}`,
        STANDS[awaiting],
        ...outdated(report),
      ];
  }
}

/** One that serves only what is no profile here may well be connected. */
const nobodyText = (picture: Picture | null): string =>
  picture === null || picture.outsiders.length === 0
    ? 'no gateway is connected'
    : 'no gateway of a profile is connected';

const UNDONE: Readonly<Record<Awaiting, string>> = { pause: 'paused', resume: 'running' };
const STANDS: Readonly<Record<Awaiting, string>> = {
  pause: '  the hold stands on disk all the same',
  resume: '  it is lifted on disk all the same',
};

function lacking(picture: Picture | null): string {
  if (picture === null) return 'nobody could be asked';
  const { serving, absent, unshown, unlisted, outsiders, mayMissGateways, leavers } = picture;
  const counts = ORDER.slice(1).map((standing) => {
    const entries = serving.filter((entry) => entry.standing === standing);
    return [new Set(entries.map(processOf)).size, standing] as const;
  });
  const parts = [
    ...counts,
    [absent.length, 'absent'] as const,
    [unshown.length, 'not seen'] as const,
    [outsiders.filter(({ standing }) => standing !== 'acknowledged').length, 'outside'] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`);
  if (unlisted !== null)
    parts.push(`which profiles there are cannot be read (${visible(unlisted)})`);
  if (leavers.length > 0) parts.push(leaversText(leavers));
  if (mayMissGateways) parts.push(LATECOMERS);
  return parts.length === 0 ? 'no gateway is connected' : parts.join(', ');
}

const LATECOMERS = 'perhaps some are still coming back to the watcher, which was started just now';

function untilThen({ picture }: WaitReport): string {
  if (picture === null) return 'who had acknowledged it is not known';
  return isComplete(picture)
    ? 'acknowledged by all'
    : `not acknowledged by all: ${lacking(picture)}`;
}

/** What a watcher said that is gone is old. */
const outdated = ({ picture, unreached }: WaitReport): string[] =>
  picture === null || unreached === null
    ? []
    : [`  as the watcher said last: it cannot be asked any more, since ${visible(unreached)}`];

export function waitJson(report: WaitReport): Json {
  const { picture, epoch, unreached, undone, waitedMs, timeoutMs } = report;
  return {
    outcome: outcomeOf(report),
    waited_ms: Math.round(waitedMs),
    timeout_ms: timeoutMs,
    watcher: { reached: unreached === null && epoch !== null, why: unreached, epoch },
    undone,
    gateways: (picture?.serving ?? []).map((entry) => ({
      ...servingJson(entry),
      after_ms: entry.afterMs === null ? null : Math.round(entry.afterMs),
    })),
    absent: (picture?.absent ?? []).map(({ profile }) => profile),
    unserved: picture?.unserved ?? [],
    unshown: picture?.unshown ?? [],
    outsiders: (picture?.outsiders ?? []).map(servingJson),
    profiles_unknown: picture?.unlisted ?? null,
    gateways_unknown: picture === null || picture.mayMissGateways || picture.leavers.length > 0,
  };
}
