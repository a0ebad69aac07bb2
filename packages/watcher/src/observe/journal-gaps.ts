/**
 * What the journal of a fleet does not tell, although it happened while nobody watched: holds that it knows
 * as begun, that stand no more, and of whose end it has no line (an operator who reads it later must not
 * take them for standing); and holds that stand, and of whose beginning it has none.
 */
import { couldNotLook, journalLedger, readJournal } from '@fleet-estop/sentinel-core';
import type { Arrival } from '../state/arrivals.ts';
import type { FleetState, ScopeState } from '../state/fleet-state.ts';

export interface UnendedHold {
  readonly event: 'foreign-lift' | 'expire';
  readonly scope: {
    readonly dir: string;
    readonly profile: string | null;
    readonly generation: null;
  };
  readonly hold: {
    readonly id: string;
    readonly holder: string | null;
    readonly reason: string | null;
    readonly expires_at: string | null;
  };
}

export interface JournalGaps {
  readonly unended: readonly UnendedHold[];
  readonly unbegun: readonly Arrival[];
}

const NO_GAPS: JournalGaps = { unended: [], unbegun: [] };

/** `scopes`: all of that fleet. */
export function journalGaps(
  { root, unreadable: unlisted }: Pick<FleetState, 'root' | 'unreadable'>,
  scopes: readonly ScopeState[],
  nowMs: number,
): JournalGaps {
  const ledger = journalLedger();
  let oldest = Number.POSITIVE_INFINITY;
  for (const found of readJournal(root)) {
    // Where lines are missing, one of them may tell of it.
    if (found.kind === 'unreadable') return NO_GAPS;
    if (found.kind !== 'record') continue;
    ledger.add(found.record);
    oldest = Math.min(oldest, found.record.atMs);
  }

  // Its line may have been dropped with the oldest ones. Ours all say since when they stand.
  const mayBeRotatedAway = (since: string | null) =>
    since !== null && !(Date.parse(since) >= oldest);
  const unbegun = scopes.flatMap((scope) =>
    scope.holds
      .filter(({ id, since, unreadable }) => {
        const isSeen = !couldNotLook(unreadable ?? undefined);
        return isSeen && !ledger.knows(id) && !mayBeRotatedAway(since);
      })
      .map((hold) => ({ scope, hold })),
  );

  // Whatever cannot be listed or read may hold any of them.
  if (unlisted !== null) return { unended: [], unbegun };
  const standing = new Set(scopes.flatMap(({ holds }) => holds.map(({ id }) => id)));
  const unread = new Set(
    scopes.filter(({ unreadable }) => unreadable !== null).map(({ dir }) => dir),
  );
  const unended = ledger.open().flatMap(({ record, hold, expiresAtMs }): UnendedHold[] => {
    if (standing.has(hold.id) || unread.has(record.scope)) return [];
    const isOver = expiresAtMs !== null && expiresAtMs <= nowMs;
    const { id, holder, reason, expiresAt } = hold;
    return [
      {
        event: isOver ? 'expire' : 'foreign-lift',
        scope: { dir: record.scope, profile: record.profile, generation: null },
        hold: { id, holder, reason, expires_at: expiresAt },
      },
    ];
  });
  return { unended, unbegun };
}
