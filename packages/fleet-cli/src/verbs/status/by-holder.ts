/**
 * What `fleet status --by holder` shows: every hold of the fleet, by whose it is, and which of them
 * somebody may have forgotten. Hints change nothing: a hold ends by its deadline or by a lift.
 */

import { lstatSync } from 'node:fs';
import type { Hold, Scope, ScopeState } from '@fleet-estop/sentinel-core';
import { holderName, howToLift, placedBy, scopeName } from '../../fleet/hold-text.ts';
import { holdJson, scopeJson } from '../../fleet/json.ts';
import { sentinelOf } from '../../fleet/state.ts';
import { counted } from '../../text/fields.ts';
import type { Json } from '../../text/json.ts';
import { type Cell, type Column, table } from '../../text/table.ts';
import { instantOf, span } from '../../text/time.ts';
import type { View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import type { StatusFacts } from './facts.ts';
import { left, reasonText } from './text.ts';

type Hint = 'no-end' | 'no-reason';

interface HoldEntry {
  readonly scope: Scope;
  readonly hold: Hold;
  /** null: not known. */
  readonly ageMs: number | null;
  /** Why it may have been forgotten; empty: it is not a day old, or has both. */
  readonly hints: readonly Hint[];
}

/** A hold that was placed with care has an end or is talked about; after a day, neither is sure. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1000;
const HINTS: Readonly<Record<Hint, string>> = {
  'no-end': 'has no end',
  'no-reason': 'gives no reason',
};

const COLUMNS: readonly Column[] = [
  { title: 'HOLDER', minWidth: 10 },
  { title: 'SCOPE', minWidth: 16 },
  { title: 'REASON', minWidth: 10, below: true },
  { title: 'AGE' },
  { title: 'LEFT' },
  { title: 'PLACED BY', minWidth: 10 },
];

export function byHolderLines(facts: StatusFacts, view: View): string[] {
  const { session } = facts;
  const holders = byHolder(facts, view.nowMs);
  const all = holders.flatMap(({ holds }) => holds);
  const root = `root ${visible(session.root.root)} (${session.root.source})`;
  if (all.length === 0) return [view.paint('bold', 'no hold stands'), root];
  const count = `${counted(all.length, 'hold')} of ${counted(holders.length, 'holder')}`;
  const rows = holders.flatMap(({ holds }) => holds.map((one, at) => rowOf(one, at, view.nowMs)));
  const hints = all.filter(({ hints: why }) => why.length > 0);
  return [
    view.paint('bold', count),
    root,
    '',
    ...table(view, COLUMNS, rows, ['REASON', 'PLACED BY', 'SCOPE', 'HOLDER']),
    ...(hints.length === 0 ? [] : ['', ...hints.flatMap((one) => hintLines(facts, one))]),
  ];
}

function rowOf({ scope, hold, ageMs }: HoldEntry, at: number, nowMs: number): Cell[] {
  return [
    { text: at === 0 ? holderName(hold) : '' },
    { text: scopeName(scope) },
    { text: reasonText(hold) },
    { text: ageMs === null ? '?' : span(ageMs) },
    { text: left(hold, nowMs) },
    { text: placedBy(hold) },
  ];
}

function hintLines({ session }: StatusFacts, { scope, hold, ageMs, hints }: HoldEntry): string[] {
  const why = hints.map((hint) => HINTS[hint]).join(' and ');
  return [
    `forgotten? ${scopeName(scope)} is held by ${holderName(hold)} for ${span(ageMs ?? 0)}, and the hold ${why}`,
    `  lift with ${howToLift(session.root, scope, hold)}`,
  ];
}

export const byHolderJson = (facts: StatusFacts): Json =>
  byHolder(facts, facts.session.nowMs).map(({ holder, holds }) => ({
    holder,
    holds: holds.map(({ scope, hold, hints }) => ({
      ...scopeJson(scope),
      hold: holdJson(hold, facts.session.nowMs),
      hints,
    })),
  }));

interface Holder {
  /** null: anonymous holds. */
  readonly holder: string | null;
  readonly holds: readonly HoldEntry[];
}

/** By name, those without one last. */
function byHolder({ root, profileStates }: StatusFacts, nowMs: number): Holder[] {
  const own = profileStates.flatMap(({ states: [state] }) =>
    state?.scope.kind === 'profile' ? [state] : [],
  );
  const found = new Map<string | null, HoldEntry[]>();
  for (const entry of [...root.states, ...own].flatMap((state) => entriesIn(state, nowMs))) {
    const { holder } = entry.hold;
    found.set(holder, [...(found.get(holder) ?? []), entry]);
  }
  const named = [...found].map(([holder, holds]) => ({ holder, holds }));
  return named.sort((a, b) => {
    if (a.holder === null || b.holder === null) return a.holder === null ? 1 : -1;
    return a.holder < b.holder ? -1 : 1;
  });
}

function entriesIn({ scope, check }: ScopeState, nowMs: number): HoldEntry[] {
  if (!check.engaged) return [];
  return check.holds.map((hold) => {
    const since = instantOf(hold.engagedAt) ?? changedAtMs(scope);
    const ageMs = since === null ? null : Math.max(0, nowMs - since);
    const isOld = ageMs !== null && ageMs >= FORGOTTEN_MS;
    const hints: Hint[] = [];
    if (isOld && hold.expiresAtMs === null) hints.push('no-end');
    if (isOld && hold.reason === null) hints.push('no-reason');
    return { scope, hold, ageMs, hints };
  });
}

/** Since when at least a hold stands that does not say so itself, as one that `touch` made. */
function changedAtMs(scope: Scope): number | null {
  try {
    return lstatSync(sentinelOf(scope)).mtimeMs;
  } catch {
    return null;
  }
}
