/**
 * Finds what the journal misses because no watcher ran: holds with a beginning and no end that no
 * longer stand (a later reader must not take them for standing), and holds that stand without a
 * beginning.
 */
import { couldNotLook, journalLedger, readJournal } from '@fleet-estop/sentinel-core';
import type { Arrival } from '../state/changes.ts';
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

/** `scopes`: all scopes of that fleet. */
export function journalGaps(
  { root, unreadable: unlisted }: Pick<FleetState, 'root' | 'unreadable'>,
  scopes: readonly ScopeState[],
  nowMs: number,
): JournalGaps {
  const ledger = journalLedger();
  let oldest = Number.POSITIVE_INFINITY;
  for (const found of readJournal(root)) {
    // A missing line may be about any of them.
    if (found.kind === 'unreadable') return NO_GAPS;
    if (found.kind !== 'record') continue;
    ledger.add(found.record);
    oldest = Math.min(oldest, found.record.atMs);
  }

  // Its line may have been dropped with the oldest ones. Our own holds all have `since`.
  const mayBeRotatedAway = (since: string | null) =>
    since !== null && !(Date.parse(since) >= oldest);
  const unbegun = scopes.flatMap((scope) =>
    scope.holds
      .filter(({ id, since, unreadable }) => {
        const isSeen = !couldNotLook(unreadable ?? undefined);
        return isSeen && !ledger.knows(scope, id) && !mayBeRotatedAway(since);
      })
      .map((hold) => ({ scope, hold })),
  );

  // A scope that cannot be listed or read may contain any of them.
  if (unlisted !== null) return { unended: [], unbegun };
  const keyOf = (profile: string | null, id: string) => `${profile ?? ''}\n${id}`;
  const standing = new Set(
    scopes.flatMap(({ profile, holds }) => holds.map(({ id }) => keyOf(profile, id))),
  );
  const unread = new Set(
    scopes.filter(({ unreadable }) => unreadable !== null).map(({ dir }) => dir),
  );
  const unended = ledger.open().flatMap(({ record, hold, expiresAtMs }): UnendedHold[] => {
    if (standing.has(keyOf(record.profile, hold.id)) || unread.has(record.scope)) return [];
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
