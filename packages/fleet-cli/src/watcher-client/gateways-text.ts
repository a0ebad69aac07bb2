/**
 * Describes gateways and their acknowledgements, as text and as JSON. Names come from another process, so they
 * are escaped and cut.
 */

import { counted, type Field, fields } from '../text/fields.ts';
import type { Json } from '../text/json.ts';
import type { Cell } from '../text/table.ts';
import { span } from '../text/time.ts';
import { visible } from '../text/visible.ts';
import {
  connectedIn,
  type DepartedGateway,
  isAbsent,
  type ProfileAccount,
  processOf,
  type Serving,
} from './account.ts';
import type { NotReached } from './request.ts';
import type { Watched, Watching } from './watched.ts';

/** Characters. */
const MAX_NAME = 64;
/** How many profiles one line names. */
const MAX_LISTED = 8;

export function gatewayName({ software, pid }: Pick<Serving, 'software' | 'pid'>): string {
  return `${shortName(software)}, process ${pid}`;
}

/** For two gateways with the same short name: process ids repeat across containers. */
export const fullName = (serving: Pick<Serving, 'software' | 'pid' | 'instance'>): string =>
  `${gatewayName(serving)}, ${shortName(serving.instance)}`;

function shortName(text: string): string {
  const characters = [...text];
  const cut = characters.length > MAX_NAME;
  return visible(cut ? `${characters.slice(0, MAX_NAME - 3).join('')}...` : text);
}

export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).map(shortName).join(', ');
  const more = names.length - MAX_LISTED;
  return more > 0 ? `${shown}, and ${more} more` : shown;
}

export const inHand = (count: number): string =>
  count === 0 ? 'nothing in hand' : `${count} in hand`;

/** Says when the last message came, because the time of the disconnect is not always known. */
export function departedText(departed: readonly DepartedGateway[]): string {
  const count = new Set(departed.map(processOf)).size;
  const who = count === 1 ? 'a gateway' : `${count} gateways`;
  const profiles = listed([...new Set(departed.map(({ profile }) => profile))]);
  return `${who} of ${profiles}, last heard ${lastSeenText(departed)}, disconnected and may reconnect`;
}

function lastSeenText(departed: readonly DepartedGateway[]): string {
  const ages = departed.map(({ agoMs }) => agoMs).filter((ms) => ms !== null);
  return ages.length < departed.length ? 'at an unknown time' : `${span(Math.min(...ages))} ago`;
}

/** For the case that no watcher could be asked. */
export const unknownText = ({ why, absent }: Pick<NotReached, 'why' | 'absent'>): string =>
  `acknowledgements are unknown: ${noWatcherText({ why, absent })}`;

export const noWatcherText = ({ why, absent }: Pick<NotReached, 'why' | 'absent'>): string =>
  absent ? 'no watcher runs' : `the watcher cannot be asked: ${visible(why)}`;

export const servingJson = (serving: Serving): { [key: string]: Json } => {
  const { profile, instance, pid, software, link, ackStatus, inFlight, acknowledged } = serving;
  return {
    profile,
    instance,
    pid,
    software,
    link,
    standing: ackStatus,
    acknowledged,
    in_flight: inFlight,
  };
};

/** `2/3`: two of three gateways have acknowledged; empty: no gateway is connected or expected. */
export function shareCell(account: ProfileAccount): Cell {
  const here = connectedIn(account);
  if (here.length === 0) return isAbsent(account) ? { text: '0/1', style: 'red' } : { text: '' };
  const count = here.filter(({ ackStatus }) => ackStatus === 'acknowledged').length;
  const style = count === here.length ? 'green' : 'red';
  return { text: `${count}/${here.length}`, style };
}

/** The acknowledgements of one profile in one line. */
export function shareText(account: ProfileAccount): string {
  const here = connectedIn(account);
  if (isAbsent(account)) return 'a gateway is expected, and none is connected';
  if (here.length === 0) return 'no gateway is connected';
  const lacking = here.filter(({ ackStatus }) => ackStatus !== 'acknowledged');
  const count = `acknowledged by ${here.length - lacking.length} of ${here.length}`;
  if (account.wanted === null)
    return `${count}: the watcher has not seen the current state on disk`;
  if (lacking.length === 0) return count;
  return `${count}, not by ${lacking.map((one) => `${gatewayName(one)} (${one.ackStatus})`).join(', ')}`;
}

/** A summary for all profiles, and for names outside the fleet. */
export const sharesLines = (watching: Watching, more = ''): string[] => [
  `${sharesText(watching)}${more}`,
  ...justStartedLines(watching),
  ...([...watching.accounts.values()].flatMap(connectedIn).some(isUnjudged) ? [NO_VERDICT] : []),
];

export const isUnjudged = ({ ackStatus }: Serving): boolean => ackStatus === 'unknown';

export const NO_VERDICT =
  'the watcher is older than this command, and does not say who has acknowledged: restart it';

/** A warning that the list of gateways may be incomplete. */
export const justStartedLines = ({ mayMissGateways }: Watching): string[] =>
  mayMissGateways ? ['the watcher has just started: gateways may still be reconnecting'] : [];

function sharesText({ accounts, outsiders }: Watching): string {
  const all = [...accounts.values()];
  const here = [...all.flatMap(connectedIn), ...(outsiders ?? [])];
  const hasNot = ({ ackStatus }: Serving): boolean => ackStatus !== 'acknowledged';
  const lacking = [
    ...all.filter((account) => isAbsent(account) || connectedIn(account).some(hasNot)),
    ...(outsiders ?? []).filter(hasNot),
  ].map(({ profile }) => profile);
  // If only some profiles are selected, gateways may serve others.
  const whose = outsiders === null ? ' of these profiles' : '';
  const rest = unservedTexts(unservedIn({ accounts }).length, all.length);
  if (lacking.length > 0) {
    return [`NOT acknowledged by every gateway: ${listed(unique(lacking))}`, ...rest].join('; ');
  }
  if (here.length === 0) return `no gateway${whose} is connected to the watcher`;
  const count = new Set(here.map(processOf)).size;
  return [`acknowledged by every connected gateway${whose}: ${count}`, ...rest].join('; ');
}

/**
 * Added to every count of acknowledgements, because "5 of 5" says nothing about profiles that no gateway
 * serves. They count here whether a gateway is expected or not.
 */
export const unservedTexts = (count: number, profiles: number): string[] =>
  count === 0 ? [] : [`no gateway serves ${count} of ${counted(profiles, 'profile')}`];

export const unservedIn = ({ accounts }: Pick<Watching, 'accounts'>): readonly string[] =>
  [...accounts.values()]
    .filter((account) => connectedIn(account).length === 0)
    .map(({ profile }) => profile);

/** null: not known. */
export const unservedJson = (watched: Watched | null): Json =>
  watched?.reached ? unservedIn(watched) : null;

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];

/** The gateways of one profile by name, and what is missing. */
export function accountLines(account: ProfileAccount): string[] {
  const { profile, wanted, serving, expected } = account;
  const head = `gateways of ${visible(profile)}${wanted === null ? '' : `, of revision ${wanted}`}`;
  const rows = serving.map((one): Field => {
    const { link, acknowledged, inFlight } = one;
    const revision = acknowledged === null ? 'no revision' : `revision ${acknowledged}`;
    const was = link === 'connected' || link === 'acknowledged' ? '' : ' when it was last heard';
    return [
      one.ackStatus,
      `${fullName(one)}: ${link}, acknowledged ${revision}, ${inHand(inFlight)}${was}`,
    ];
  });
  if (expected === 'expected') rows.push(['absent', 'one is expected, and none is connected']);
  if (expected === 'unknown') {
    rows.push(['absent', 'none is connected, and whether one is expected cannot be read']);
  }
  const unseen = wanted === null ? ['  the watcher has not seen the current state on disk'] : [];
  if (rows.length === 0) return [`${head}: none is connected`, ...unseen];
  return [`${head}:`, ...fields(rows), ...unseen];
}

/** The gateways of one profile as JSON; nulls if the watcher could not be asked. */
export function accountJson(
  watched: Watched | null,
  profile: string | null,
): { [key: string]: Json } {
  const account = watched?.reached ? watched.accounts.get(profile ?? '') : undefined;
  if (account === undefined) return { gateways: null, gateway_absent: null, revision: null };
  return {
    gateways: account.serving.map(servingJson),
    gateway_absent: isAbsent(account),
    revision: account.wanted,
  };
}

/** null: unknown, or only some profiles are selected. */
export const outsidersJson = (watched: Watched | null): Json =>
  watched?.reached && watched.outsiders !== null ? watched.outsiders.map(servingJson) : null;

export function watcherJson(watched: Watched | null): Json {
  if (watched === null) return { reached: false, why: 'it was not asked', epoch: null };
  return watched.reached
    ? { reached: true, why: null, epoch: watched.epoch }
    : { reached: false, why: watched.why, epoch: null };
}
