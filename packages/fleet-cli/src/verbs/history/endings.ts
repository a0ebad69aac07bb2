/**
 * Finds ends of holds without a journal record: a hold that expired beside other holds or without a
 * watcher, and a hold that is gone for an unknown reason. Compares the journal with the disk.
 */
import {
  check,
  type DiskPort,
  type JournalLedger,
  type JournalRecord,
  type RecordedHold,
} from '@fleet-estop/sentinel-core';

export interface Endings {
  /** As the records that would have been written at the deadline. */
  readonly expired: readonly JournalRecord[];
  /** Gone before their deadline: removed by hand, by a deploy, by `git clean`. */
  readonly vanished: readonly RecordedHold[];
}

/** `ledger`: must contain the whole journal. */
export function endingsOf(ledger: JournalLedger, disk: DiskPort, nowMs: number): Endings {
  const isOver = ({ expiresAtMs }: RecordedHold): boolean =>
    expiresAtMs !== null && expiresAtMs <= nowMs;
  const gone = ledger.open().filter((one) => !stillHolds(disk, one));
  return {
    expired: [...ledger.expired(), ...gone.filter(isOver)].flatMap(expiryRecord),
    vanished: gone.filter((one) => !isOver(one)),
  };
}

function expiryRecord({ record, hold, expiresAtMs }: RecordedHold): JournalRecord[] {
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

/** A hold in a scope that cannot be read still counts. */
function stillHolds(disk: DiskPort, { record, hold }: RecordedHold): boolean {
  const found = check(disk, record.scope);
  if (!found.engaged) return false;
  return found.unreadable !== undefined || found.holds.some(({ id }) => id === hold.id);
}
