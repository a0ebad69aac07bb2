/**
 * What a drain answers: drained, or what is left and who is silent. It never says that a gateway has
 * stopped, only what was acknowledged, reported and read [12]. Progress is `progress.ts`.
 */
import { counted, fields } from '../text/fields.ts';
import { span } from '../text/time.ts';
import type { View } from '../text/view.ts';
import { visible } from '../text/visible.ts';
import { processOf } from '../watcher-client/account.ts';
import { unservedTexts } from '../watcher-client/gateways-text.ts';
import type { DrainReport } from './await-drained.ts';
import { type DrainLook, isQuiet, wedgedIn } from './judge.ts';
import { outcomeOf } from './outcome.ts';
import { countsText, oldestRows, silentRows, wedgedRows, workRows } from './rows.ts';

/** Rows of one kind in the answer. The JSON document has more. */
const MOST = 20;
/** Profiles that one notice names. */
const MAX_NAMED = 8;

export function drainLines(report: DrainReport, { paint, nowMs }: View): string[] {
  const { look, excludesWedged } = report;
  const outcome = outcomeOf(report);
  const isDone = outcome === 'drained' || outcome === 'drained-but-wedged';
  const rest = restTexts(look);
  if (isDone) {
    const wedged = wedgedIn(look).length;
    const but = excludesWedged && wedged > 0 ? ` but for ${wedged} wedged` : '';
    const hand = but === '' ? 'nothing in hand' : 'nothing else in hand';
    const head = paint('green', `DRAINED${but}`);
    const lines = [`${head}: ${acknowledgedText(look)}, ${[hand, ...rest].join('; ')}`];
    const rows = wedgedRows(look, nowMs, MOST);
    return rows.length === 0 ? lines : [...lines, ...fields(rows)];
  }
  const rows = [
    ...silentRows(look),
    ...workRows(look, MOST),
    ...oldestRows(look, nowMs),
    ...wedgedRows(look, nowMs, MOST),
  ];
  const head = paint('yellow', 'NOT DRAINED');
  const lines = [[`${head}: ${summary(look)}`, ...rest].join('; ')];
  return rows.length === 0 ? lines : [...lines, ...fields(rows)];
}

function acknowledgedText({ snapshot }: DrainLook): string {
  const count = new Set((snapshot?.serving ?? []).map(processOf)).size;
  return `acknowledged by ${count === 1 ? '' : 'all '}${counted(count, 'gateway')}`;
}

/** How much is in hand, as far as it is known. */
function summary({ profiles, outside }: DrainLook): string {
  const busy = profiles.filter((one) => !isQuiet(one)).length;
  if (busy === 0)
    return outside > 0 ? 'work in hand outside the fleet' : 'nothing in hand is known';
  return `${counted(busy, 'profile')} with work in hand, or where that is not known`;
}

/** A profile without a gateway is judged by its register alone, and the answer says so. */
function restTexts({ snapshot }: DrainLook): string[] {
  if (snapshot === null) return [];
  const { absent, unserved, profiles } = snapshot;
  const texts = unservedTexts(absent.length + unserved.length, profiles.length);
  return texts.map((text) => `${text}: there, only the register is known`);
}

/** For stderr, at the end: what is not as it was to be. */
export function drainNotices(report: DrainReport): string[] {
  const { look, undone, timeoutMs, waitedMs } = report;
  const time = timeoutMs === 0 ? 'now' : `in ${span(timeoutMs)}`;
  switch (outcomeOf(report)) {
    case 'drained':
    case 'drained-but-wedged':
      return [];
    case 'undone':
      return undone.map((what) => `NOT drained: ${visible(what)}`);
    case 'work-left':
      return [`NOT drained ${time}: ${busyText(look)}`, STANDS];
    case 'silent':
      return [`NOT drained ${time}: ${notAnsweredText(look)}${andBusy(look)}`, STANDS];
    case 'nobody':
      return [`NOT known to be drained: no gateway is connected${andBusy(look)}`, STANDS];
    case 'no-watcher': {
      const why = visible(look.unreached ?? '?');
      return [
        `NOT known to be drained: no watcher could be asked ${time}: ${why}`,
        `  by the registers alone: ${busyText(look)}; whether gateways take new work they cannot say`,
        STANDS,
      ];
    }
    case 'not-shown':
      return [
        `NOT known to be drained: the watcher has not seen the current state ${time}`,
        STANDS,
      ];
    case 'interrupted':
      return [
        `interrupted after ${span(waitedMs)}, NOT drained: ${notAnsweredText(look)}${andBusy(look)}`,
        STANDS,
      ];
  }
}

const STANDS = '  what is paused stays paused';

function busyText({ profiles, outside }: DrainLook): string {
  const busy = profiles.filter((one) => !isQuiet(one));
  const named = busy
    .slice(0, MAX_NAMED)
    .map((one) => `${visible(one.profile)}: ${countsText(one)}`);
  if (busy.length > named.length) named.push(`and ${busy.length - named.length} more profiles`);
  if (outside > 0) named.push(`${outside} in hand outside the fleet`);
  return named.length === 0 ? 'nothing in hand' : named.join('; ');
}

const andBusy = (look: DrainLook): string => `; ${busyText(look)}`;

function notAnsweredText(look: DrainLook): string {
  if (look.snapshot === null) return 'no watcher could be asked';
  const rows = silentRows(look);
  return rows.length === 0
    ? 'acknowledged by all'
    : rows.map(([name, value]) => `${name}: ${value}`).join('; ');
}
