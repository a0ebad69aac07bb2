/**
 * The output of `fleet status --by holder`: every hold by holder, with hints which may have been
 * forgotten. Hints change nothing: a hold ends by its deadline or by a lift.
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
  /** null: unknown. */
  readonly ageMs: number | null;
  /** Why it may have been forgotten; empty: it is less than a day old, or has a deadline and a reason. */
  readonly hints: readonly Hint[];
}

/** After this time, a hold without a deadline or a reason may have been forgotten. */
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
  if (all.length === 0) return [view.paint('bold', 'there are no holds'), root];
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
    `forgotten? ${scopeName(scope)} has been held by ${holderName(hold)} for ${span(ageMs ?? 0)}, and the hold ${why}`,
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

/** Sorted by name, anonymous holds last. */
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

/** The least age of a hold that has no start time, such as one made by `touch`. */
function changedAtMs(scope: Scope): number | null {
  try {
    return lstatSync(sentinelOf(scope)).mtimeMs;
  } catch {
    return null;
  }
}
