/**
 * Finds holds that are on disk although the journal says that they ended: a backup was restored, a file was
 * moved back, or a checkout contained it. They are in force, but must not be mistaken for new holds.
 */
import {
  type DiskPort,
  type JournalRecord,
  journalLedger,
  readJournal,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { localTime } from '../text/time.ts';
import { visible } from '../text/visible.ts';
import { readScope } from './state.ts';

/**
 * By hold id: the journal record that ended it in the same scope. Anybody who can read a hold can copy it to
 * another scope and end it there.
 */
export type ReappearedHolds = ReadonlyMap<string, JournalRecord>;

/**
 * `states` were read before the journal. A lift may have happened in between, so held scopes are read
 * again.
 */
export function reappearedHolds(
  root: string,
  disk: DiskPort,
  states: readonly ScopeState[],
): ReappearedHolds {
  if (!states.some(({ check }) => check.engaged)) return new Map();
  const ledger = journalLedger();
  for (const found of readJournal(root)) {
    if (found.kind === 'record') ledger.add(found.record);
  }
  const found = new Map<string, JournalRecord>();
  for (const { scope, check: before } of states) {
    const place = { profile: scope.kind === 'profile' ? (scope.profile ?? null) : null };
    if (!before.engaged || before.holds.every(({ id }) => ledger.endOf(place, id) === null))
      continue;
    const { check } = readScope(disk, scope);
    for (const { id, unreadable } of check.engaged ? check.holds : []) {
      const end = isMadeUp(id) || unreadable !== undefined ? null : ledger.endOf(place, id);
      if (end !== null) found.set(id, end);
    }
  }
  return found;
}

/** An id that was made from an inode number, which another file may have later. */
const isMadeUp = (id: string): boolean => id.startsWith('anon-');

const HOW: Readonly<Record<string, string>> = {
  lift: 'lifted',
  'foreign-lift': 'removed by another tool',
  retire: 'removed after its deadline',
  expire: 'expired',
};

export function reappearedText({ event, atMs, actor }: JournalRecord): string {
  const who = actor === null || event !== 'lift' ? '' : ` by ${visible(actor.user)}`;
  return `was ${HOW[event] ?? visible(event)} at ${localTime(atMs)}${who} according to the journal, and is there again: a restored backup?`;
}
