/**
 * Reads the newest matching records of the journal, and the ends of holds that it does not record.
 */
import {
  type JournalRecord,
  journalLedger,
  type RecordedHold,
  readJournal,
} from '@fleet-estop/sentinel-core';
import { type SelectionOptions, select } from '../../fleet/selection.ts';
import type { GlobalOptions, Session } from '../../fleet/session.ts';
import { endingsOf } from './endings.ts';

export interface HistoryFacts {
  readonly session: Session;
  /** Oldest first. */
  readonly records: readonly JournalRecord[];
  /** How many older matching records are beyond the limit. */
  readonly omitted: number;
  /**
   * Holds that the journal knows as placed, and that are gone from disk before their deadline without a
   * record.
   */
  readonly vanished: readonly RecordedHold[];
  readonly corrupt: CorruptLines;
  readonly unreadable: readonly { readonly file: string; readonly why: string }[];
}

export interface CorruptLines {
  readonly count: number;
  /** The first ones. */
  readonly lines: readonly { readonly file: string; readonly line: number; readonly why: string }[];
}

/** How many corrupt lines are listed. The others are counted. */
const MAX_NAMED = 100;

export function readHistory(
  session: Session,
  options: HistoryOptions,
  { sinceMs, limit }: { readonly sinceMs: number | null; readonly limit: number },
): HistoryFacts {
  const { profile: asked } = options;
  const newest = newestOf<JournalRecord>(limit);
  const unseen = new Set(session.selection.missing);
  const named: CorruptLines['lines'][number][] = [];
  const unreadable: { file: string; why: string }[] = [];
  const ledger = journalLedger();
  const isAsked = (record: JournalRecord): boolean =>
    (sinceMs === null || record.atMs >= sinceMs) && (asked === undefined || binds(record, asked));
  let corrupt = 0;
  for (const found of readJournal(session.root.root)) {
    if (found.kind === 'unreadable') {
      unreadable.push({ file: found.file, why: found.why });
    } else if (found.kind === 'corrupt') {
      corrupt += 1;
      const { file, line, why } = found;
      if (named.length < MAX_NAMED) named.push({ file, line, why });
    } else {
      const { record } = found;
      ledger.add(record);
      if (record.profile !== null) unseen.delete(record.profile);
      if (isAsked(record)) newest.add(record);
    }
  }
  const { expired, vanished } = endingsOf(ledger, session.disk, session.nowMs);
  for (const record of expired) if (isAsked(record)) newest.insert(record);
  // A profile that neither exists nor is in the journal is most likely mistyped. `select` throws with
  // near names.
  const missing = [...unseen];
  if (missing.length > 0 && !options.allowMissing && unreadable.length === 0) {
    select(session.root.root, { profile: missing });
  }
  return {
    session: { ...session, selection: { ...session.selection, missing } },
    ...newest.taken(),
    vanished: vanished.filter(({ record }) => asked === undefined || binds(record, asked)),
    corrupt: { count: corrupt, lines: named },
    unreadable,
  };
}

/** Changes to the root and the cluster bind every profile. */
const binds = ({ profile }: JournalRecord, asked: readonly string[]): boolean =>
  profile === null || asked.includes(profile);

/** Collects records, and keeps only the last `limit`. */
function newestOf<T extends { readonly atMs: number }>(limit: number) {
  let kept: T[] = [];
  let omitted = 0;
  const cut = (): void => {
    const excess = Math.max(0, kept.length - limit);
    kept = kept.slice(excess);
    omitted += excess;
  };
  return {
    add(one: T): void {
      kept.push(one);
      if (kept.length >= 2 * limit) cut();
    },
    /** Inserts a record that is not in the journal by its time. The journal's own order stays. */
    insert(one: T): void {
      const at = kept.findLastIndex(({ atMs }) => atMs <= one.atMs) + 1;
      kept.splice(at, 0, one);
    },
    taken(): { readonly records: readonly T[]; readonly omitted: number } {
      cut();
      return { records: kept, omitted };
    },
  };
}

export interface HistoryOptions extends GlobalOptions, SelectionOptions {
  readonly since?: string;
  readonly limit?: string;
  readonly refused?: true;
  readonly door?: readonly string[];
}
