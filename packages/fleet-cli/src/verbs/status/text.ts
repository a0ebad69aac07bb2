/**
 * The output of `fleet status`: a summary, one line for each scope and hold, notes, and the JSON document.
 */
import { DEFAULT_PROFILE, type Hold, type ScopeState } from '@fleet-estop/sentinel-core';
import { holderName, profileName, scopeName, whoMayPass } from '../../fleet/hold-text.ts';
import { chainJson, rootJson, stateJson } from '../../fleet/json.ts';
import { isHeld, notSeenIn, type ProfileState } from '../../fleet/state.ts';
import { unlistedNotices, unreadNotices } from '../../fleet/unread-text.ts';
import { type WorkInHand, workJson } from '../../fleet/work-in-hand.ts';
import { counted } from '../../text/fields.ts';
import type { Json } from '../../text/json.ts';
import { type Cell, type Column, table } from '../../text/table.ts';
import { instantOf, span } from '../../text/time.ts';
import type { View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import { unreadText } from '../../text/why.ts';
import {
  accountJson,
  outsidersJson,
  shareCell,
  sharesLines,
  unknownText,
  unservedJson,
  watcherJson,
} from '../../watcher-client/gateways-text.ts';
import type { StatusFacts } from './facts.ts';
import { workNotes } from './work-notes.ts';

const COLUMNS: readonly Column[] = [
  { title: 'SCOPE', minWidth: 16 },
  { title: 'STATE' },
  { title: 'BY', minWidth: 10 },
  { title: 'REASON', minWidth: 10, below: true },
  { title: 'AGE' },
  { title: 'LEFT' },
  { title: 'MAY PASS', minWidth: 10 },
  { title: 'GATEWAYS' },
];
const NARROW = ['REASON', 'MAY PASS', 'BY', 'SCOPE'];

export function statusLines(facts: StatusFacts, view: View): string[] {
  const notes = [...footnotes(facts), ...workNotes(facts, view), ...gatewaysFoot(facts)];
  return [...statusTable(facts, view), ...(notes.length === 0 ? [] : ['', ...notes])];
}

/** The summary, and a line for each scope and hold. */
export function statusTable(facts: StatusFacts, view: View): string[] {
  const { session, root, shown } = facts;
  const rows = [
    ...root.states.flatMap((state) =>
      state.scope.kind === 'cluster' && isSilent(state) ? [] : scopeRows(state, view),
    ),
    ...shown.flatMap((profileState) =>
      withShare(facts, profileState, profileRows(profileState, view)),
    ),
  ];
  return [
    view.paint('bold', summary(facts)),
    `root ${visible(session.root.root)} (${session.root.source})`,
    '',
    ...table(view, COLUMNS, rows, NARROW),
  ];
}

/** The summary of gateways; empty if the watcher was not asked. */
export function gatewaysFoot({ watched }: StatusFacts): string[] {
  if (watched === null) return [];
  return watched.reached ? sharesLines(watched) : [unknownText(watched)];
}

/** Everything in the text that comes from the watcher; the rest comes from disk. */
export function gatewayTexts(facts: StatusFacts): string[] {
  const { watched, shown } = facts;
  const shares = shown.map(({ profile }) => shareOf(watched, profile)?.text ?? '');
  return [...shares, ...gatewaysFoot(facts)];
}

/** null: the watcher was not asked. */
function shareOf(watched: StatusFacts['watched'], profile: string | null): Cell | null {
  const account = watched?.reached ? watched.accounts.get(profile ?? '') : undefined;
  return account === undefined ? null : shareCell(account);
}

function summary({ session, root, profileStates }: StatusFacts): string {
  const { profiles, listing } = session.selection;
  const held = profileStates.filter(({ states }) => isHeld(states)).length;
  if (profiles === null && listing.unreadable !== undefined) {
    const state = isHeld(root.states) ? 'PAUSED: the root is held' : 'nothing holds the root';
    return `${state}; the profiles cannot be listed`;
  }
  const count = `${profilesText(profileStates)}${profiles === null ? '' : ' asked for'}`;
  if (isHeld(root.states)) return `PAUSED: the root is held, and with it ${count}`;
  if (held > 0) return `${held} of ${count} paused; nothing holds the root`;
  return `running: nothing holds the root or ${profileStates.length === 0 ? 'a profile: there is none' : count}`;
}

/** Counts as `pause` does: `default` is named separately, because `pause` cannot know whether it is served. */
function profilesText(profileStates: readonly ProfileState[]): string {
  const profiles = profileStates.filter(({ profile }) => profile !== DEFAULT_PROFILE).length;
  const own = `the root's own profile \`${DEFAULT_PROFILE}\``;
  if (profiles === profileStates.length) return counted(profiles, 'profile');
  return profiles === 0 ? own : `${counted(profiles, 'profile')} and ${own}`;
}

function profileRows({ profile, states }: ProfileState, view: View): Cell[][] {
  const [own] = states;
  if (own === undefined) return [];
  const above = states.filter((state) => state !== own && state.check.engaged);
  const holders = above.map(({ scope }) => scopeName(scope)).join(', ');
  if (own.scope.kind !== 'profile') {
    // The profile `default` has no sentinel of its own: its holds are in the row of the root.
    const by = states.filter(({ check }) => check.engaged).map(({ scope }) => scopeName(scope));
    return [[{ text: profileName(profile) }, stateCell(by.length > 0), { text: by.join(', ') }]];
  }
  if (own.check.engaged || holders === '') return scopeRows(own, view);
  return [
    [{ text: profileName(profile) }, stateCell(true), { text: holders }, { text: remark(own) }],
  ];
}

/** Adds to the first row, in the last column, how many gateways have acknowledged the state. */
function withShare({ watched }: StatusFacts, { profile }: ProfileState, rows: Cell[][]): Cell[][] {
  const share = shareOf(watched, profile);
  const [first, ...rest] = rows;
  if (share === null || first === undefined) return rows;
  const cells = COLUMNS.map((_column, at) => first[at] ?? { text: '' });
  return [[...cells.slice(0, -1), share], ...rest];
}

function scopeRows(state: ScopeState, { nowMs }: View): Cell[][] {
  const { scope, check } = state;
  const name: Cell = { text: scopeName(scope) };
  if (!check.engaged) return [[name, stateCell(false), { text: '' }, { text: remark(state) }]];
  return check.holds.map((hold, at) => [
    at === 0 ? name : { text: '' },
    at === 0 ? heldCell(state) : { text: '' },
    { text: holderName(hold) },
    { text: [reasonText(hold), remark(state)].filter((text) => text !== '').join(' ') },
    { text: age(hold, nowMs) },
    { text: left(hold, nowMs) },
    { text: whoMayPass(hold.unreadable === undefined ? hold.allow : null) },
  ]);
}

const stateCell = (paused: boolean): Cell =>
  paused ? { text: 'paused', style: 'yellow' } : { text: 'running', style: 'green' };

const heldCell = (state: ScopeState): Cell =>
  notSeenIn(state) === null ? stateCell(true) : { text: 'UNREADABLE', style: 'red' };

export function reasonText(hold: Hold): string {
  if (hold.reason === null && hold.unreadable !== undefined && hold.unreadable !== 'empty') {
    return `cannot be read, so it holds: ${unreadText(hold.unreadable)}`;
  }
  return hold.reason === null ? '-' : visible(hold.reason);
}

function remark({ check }: ScopeState): string {
  if (!check.engaged) return check.expired ? '(expired, not yet retired)' : '';
  if (check.overdue) return '(expired, and this user may not remove it)';
  return check.aside ? '(being changed)' : '';
}

function age(hold: Hold, nowMs: number): string {
  const since = instantOf(hold.engagedAt);
  // A start in the future is a wrong clock's: `explain` says so, and here the age is unknown.
  return since === null || since > nowMs ? '?' : span(nowMs - since);
}

export function left({ expiresAtMs }: Hold, nowMs: number): string {
  if (expiresAtMs === null) return 'no end';
  return expiresAtMs <= nowMs ? 'passed' : span(expiresAtMs - nowMs);
}

const isSilent = ({ check }: ScopeState): boolean => !check.engaged && !check.expired;

/** What the table does not show, and why. */
export function footnotes({ session, only, profileStates, shown }: StatusFacts): string[] {
  const { listing, missing, profiles } = session.selection;
  const lines: string[] = [];
  if (only !== null) {
    lines.push(
      `shown: ${shown.length} of ${counted(profileStates.length, 'profile')} (--only ${only})`,
    );
  }
  lines.push(...missing.map((name) => `skipped ${name}: there is no such profile`));
  if (profiles === null) {
    lines.push(
      ...listing.rejected.map(
        ({ name, why }) => `not a profile: profiles/${visible(name)}: ${why}`,
      ),
    );
  }
  return lines;
}

/** For stderr: state that could not be read, and counts as held. */
export function statusNotices({ session, root, profileStates }: StatusFacts): string[] {
  const states = [root, ...profileStates].flatMap((profileState) => profileState.states);
  return [...unlistedNotices(session.selection), ...unreadNotices(states)];
}

export function statusDocument(facts: StatusFacts): { [key: string]: Json } {
  const { session, root, profileStates, shown, only, work, watched } = facts;
  const { nowMs, selection } = session;
  const { listing, profiles, missing } = selection;
  return {
    schema: 'fleet/status/v1',
    ...rootJson(session.root),
    ...chainJson(root.states),
    profiles: profileStates.length,
    profiles_paused: profileStates.filter(({ states }) => isHeld(states)).length,
    profiles_unreadable: profiles === null ? (listing.unreadable ?? null) : null,
    scopes: root.states.map((state) => stateJson(state, nowMs)),
    only,
    lanes: shown.map(({ profile, states }) => ({
      profile,
      ...chainJson(states),
      scope: ownScope(states, nowMs),
      work: workOf(work.get(profile)),
      ...accountJson(watched, profile),
    })),
    rejected: listing.rejected.map(({ name, why }) => ({ name, why })),
    holders: null,
    watcher: watcherJson(watched),
    outsiders: outsidersJson(watched),
    unserved: unservedJson(watched),
    skipped: missing,
  };
}

/** null: it was not read. */
const workOf = (work: WorkInHand | undefined): Json => (work === undefined ? null : workJson(work));

/** null: the profile `default`, which is served from the root. */
function ownScope([own]: readonly ScopeState[], nowMs: number): Json {
  return own?.scope.kind === 'profile' ? stateJson(own, nowMs) : null;
}
