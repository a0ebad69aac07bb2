/**
 * Ends that no line of the journal tells of: a hold whose deadline passed while others stood or no
 * watcher ran, and one that is gone and nobody of ours saw how. Read from the journal and the disk.
 */
import {
  type BegunHold,
  check,
  type DiskPort,
  type JournalLedger,
  type JournalRecord,
} from '@fleet-estop/sentinel-core';

export interface Endings {
  /** As lines that would have been written at the deadline. */
  readonly expired: readonly JournalRecord[];
  /** Gone before any deadline of theirs: removed by hand, by a deploy, by `git clean`. */
  readonly vanished: readonly BegunHold[];
}

/** `ledger`: of everything that the journal says. */
export function endingsOf(ledger: JournalLedger, disk: DiskPort, nowMs: number): Endings {
  const isOver = ({ expiresAtMs }: BegunHold): boolean =>
    expiresAtMs !== null && expiresAtMs <= nowMs;
  const gone = ledger.open().filter((one) => !stillHolds(disk, one));
  return {
    expired: [...ledger.expired(), ...gone.filter(isOver)].flatMap(expiryRecord),
    vanished: gone.filter((one) => !isOver(one)),
  };
}

function expiryRecord({ record, hold, expiresAtMs }: BegunHold): JournalRecord[] {
  if (hold.expiresAt === null || expiresAtMs === null) return [];
  const { scope, profile } = record;
  const holds = [hold];
  const at = hold.expiresAt;
  return [
    {
      at,
      atMs: expiresAtMs,
      event: 'expire',
      scope,
      profile,
      holds,
      generation: null,
      actor: null,
      operation: null,
    },
  ];
}

/** What cannot be looked at stands. */
function stillHolds(disk: DiskPort, { record, hold }: BegunHold): boolean {
  const found = check(disk, record.scope);
  if (!found.engaged) return false;
  return found.unreadable !== undefined || found.holds.some(({ id }) => id === hold.id);
}
