/**
 * Sums up the lines of a journal: which holds began, as far as the journal shows, which of them
 * ended, and how. Pure.
 * `journal-read.ts` reads the lines. Only the disk shows whether a hold is in force.
 */
import { expiryMs } from '../model/stamp.ts';
import type { JournalHold, JournalRecord } from './journal-read.ts';

/** A hold whose beginning is recorded. */
export interface RecordedHold {
  /** The line that records its beginning. */
  readonly record: JournalRecord;
  readonly hold: JournalHold;
  /** Milliseconds since the epoch; null: it never expires. */
  readonly expiresAtMs: number | null;
}

/** The holds of a journal, by the lines that were added. */
export interface JournalLedger {
  /** Adds one line. Add them in their order. */
  add(record: JournalRecord): void;
  /** Holds that began, and for which no line records an end or a newer hold of the same holder. */
  open(): RecordedHold[];
  /** Holds whose deadline passed before another hold of the same holder replaced them. */
  expired(): RecordedHold[];
  /**
   * Whether any line records the beginning or the end of this hold in this scope. false for a hold that
   * the same holder replaced since.
   */
  knows(place: JournalPlace, id: string): boolean;
  /**
   * The newest line that records the end of this hold in this scope. null: there is none, or the hold
   * began again since.
   */
  endOf(place: JournalPlace, id: string): JournalRecord | null;
}

/** A scope as a line of the journal names it. */
export interface JournalPlace {
  /** null: the root or the cluster. */
  readonly profile: string | null;
}

const BEGINNINGS: readonly string[] = ['arm', 're-arm', 'foreign-arm'];
const ENDS: readonly string[] = ['lift', 'foreign-lift', 'retire', 'expire'];

/**
 * Creates an empty ledger. Add every line of a journal in order, then ask. Throws nothing.
 * A sentinel that was copied to another scope has the same id there, so a hold is known by its scope and id.
 */
export function journalLedger(): JournalLedger {
  const begun = new Map<string, RecordedHold>();
  const ended = new Map<string, JournalRecord>();
  const expired: RecordedHold[] = [];

  const begin = (record: JournalRecord, hold: JournalHold): void => {
    for (const [key, other] of begun) {
      const isSame = other.hold.holder === hold.holder && hold.holder !== null;
      if (!isSame || placeOf(other.record) !== placeOf(record)) continue;
      begun.delete(key);
      if (other.expiresAtMs !== null && other.expiresAtMs <= record.atMs) expired.push(other);
    }
    const expiresAtMs = hold.expiresAt === null ? null : expiryMs(hold.expiresAt);
    const key = keyOf(record, hold.id);
    begun.set(key, { record, hold, expiresAtMs });
    ended.delete(key);
  };

  return {
    add(record) {
      const isEnd = ENDS.includes(record.event);
      if (!isEnd && !BEGINNINGS.includes(record.event)) return;
      for (const hold of record.holds) {
        if (hold.id === '') continue;
        if (!isEnd) begin(record, hold);
        else {
          const key = keyOf(record, hold.id);
          begun.delete(key);
          ended.set(key, record);
        }
      }
    },
    open: () => [...begun.values()],
    expired: () => expired,
    knows: (place, id) => begun.has(keyOf(place, id)) || ended.has(keyOf(place, id)),
    endOf: (place, id) => ended.get(keyOf(place, id)) ?? null,
  };
}

/**
 * The key of a scope. A root may be reached by another path than before; a profile is known by its
 * name.
 */
const placeOf = ({ profile, scope }: JournalRecord): string => profile ?? `/${scope}`;

/** Without the path, so that a hold of the root is known where the root is reached by another path. */
const keyOf = ({ profile }: JournalPlace, id: string): string => `${profile ?? ''}\n${id}`;
