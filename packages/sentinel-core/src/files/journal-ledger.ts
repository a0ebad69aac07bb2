/**
 * What the lines of a journal come to: which holds have begun, by what anybody of ours saw, and which of
 * them have ended, and how. Pure; whether one stands is for the disk alone to say.
 */
import { expiryMs } from '../model/stamp.ts';
import type { JournalHold, JournalRecord } from './journal-read.ts';

export interface BegunHold {
  /** The line that tells of its beginning. */
  readonly record: JournalRecord;
  readonly hold: JournalHold;
  /** Milliseconds since the epoch; null: it never ends by itself. */
  readonly expiresAtMs: number | null;
}

export interface JournalLedger {
  /** Lines in their order. */
  add(record: JournalRecord): void;
  /** Begun, and no line tells of an end, nor of a newer hold of the same holder in its place. */
  open(): BegunHold[];
  /** Open ones whose deadline passed before another took their place. */
  expired(): BegunHold[];
  /** Does any line tell that it began or ended? Not of one that the same holder replaced since. */
  knows(id: string): boolean;
  /** The newest line that ended it; null: none did, or it was placed again since. */
  endOf(id: string): JournalRecord | null;
}

const BEGINNINGS: readonly string[] = ['arm', 're-arm', 'foreign-arm'];
const ENDS: readonly string[] = ['lift', 'foreign-lift', 'retire', 'expire'];

export function journalLedger(): JournalLedger {
  const begun = new Map<string, BegunHold>();
  const ended = new Map<string, JournalRecord>();
  const expired: BegunHold[] = [];

  const begin = (record: JournalRecord, hold: JournalHold): void => {
    for (const [id, other] of begun) {
      const isSame = other.hold.holder === hold.holder && hold.holder !== null;
      if (!isSame || placeOf(other.record) !== placeOf(record)) continue;
      begun.delete(id);
      if (other.expiresAtMs !== null && other.expiresAtMs <= record.atMs) expired.push(other);
    }
    const expiresAtMs = hold.expiresAt === null ? null : expiryMs(hold.expiresAt);
    begun.set(hold.id, { record, hold, expiresAtMs });
    ended.delete(hold.id);
  };

  return {
    add(record) {
      const isEnd = ENDS.includes(record.event);
      if (!isEnd && !BEGINNINGS.includes(record.event)) return;
      for (const hold of record.holds) {
        if (hold.id === '') continue;
        if (!isEnd) begin(record, hold);
        else {
          begun.delete(hold.id);
          ended.set(hold.id, record);
        }
      }
    },
    open: () => [...begun.values()],
    expired: () => expired,
    knows: (id) => begun.has(id) || ended.has(id),
    endOf: (id) => ended.get(id) ?? null,
  };
}

/** A root may be reached by another path than then; its profiles have their names. */
const placeOf = ({ profile, scope }: JournalRecord): string => profile ?? `/${scope}`;
