/**
 * Holds that the journal knows as begun, that stand no more, and of whose end it has no line: they were
 * removed or expired while nobody watched. An operator who reads it later must not take them for standing.
 */
import { journalLedger, readJournal } from '@fleet-estop/sentinel-core';
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

/** `scopes`: all of that fleet. */
export function unendedIn(
  { root, unreadable: unlisted }: Pick<FleetState, 'root' | 'unreadable'>,
  scopes: readonly ScopeState[],
  nowMs: number,
): UnendedHold[] {
  // Whatever cannot be listed may hold all of them.
  if (unlisted !== null) return [];
  const ledger = journalLedger();
  for (const found of readJournal(root)) {
    // Where lines are missing, one of them may tell of the end.
    if (found.kind === 'unreadable') return [];
    if (found.kind === 'record') ledger.add(found.record);
  }
  const standing = new Set(scopes.flatMap(({ holds }) => holds.map(({ id }) => id)));
  const unread = new Set(
    scopes.filter(({ unreadable }) => unreadable !== null).map(({ dir }) => dir),
  );
  return ledger.open().flatMap(({ record, hold, expiresAtMs }) => {
    if (standing.has(hold.id) || unread.has(record.scope)) return [];
    const isOver = expiresAtMs !== null && expiresAtMs <= nowMs;
    const { id, holder, reason, expiresAt } = hold;
    return [
      {
        event: isOver ? ('expire' as const) : ('foreign-lift' as const),
        scope: { dir: record.scope, profile: record.profile, generation: null },
        hold: { id, holder, reason, expires_at: expiresAt },
      },
    ];
  });
}
