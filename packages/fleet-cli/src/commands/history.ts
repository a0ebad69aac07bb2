/**
 * `fleet history`: what was done to the holds of the fleet, oldest first, as its journal tells it.
 * How that is shown is `render/history.ts`.
 */
import {
  type BegunHold,
  type JournalRecord,
  journalLedger,
  readJournal,
} from '@fleet-estop/sentinel-core';
import type { Command } from 'commander';
import type { Answer } from '../answer.ts';
import { EXIT } from '../exit-codes.ts';
import { endingsOf } from '../history/endings.ts';
import { readDurationMs } from '../input/duration.ts';
import { flag, repeated, valued } from '../input/flags.ts';
import { type SelectionOptions, select } from '../input/selection.ts';
import { refusal } from '../input/values.ts';
import { historyDocument, historyLines, historyNotices } from '../render/history.ts';
import { type GlobalOptions, openSession, type Session } from '../session.ts';
import { addSelection, type Verb } from './verb.ts';

interface HistoryOptions extends GlobalOptions, SelectionOptions {
  readonly since?: string;
  readonly limit?: string;
  readonly refused?: true;
  readonly door?: readonly string[];
}

export interface HistoryFacts {
  readonly session: Session;
  /** Oldest first. */
  readonly records: readonly JournalRecord[];
  /** How many older ones were asked for as well, and are beyond the limit. */
  readonly omitted: number;
  /** Begun by the journal, gone from disk before any deadline, and no line says how. */
  readonly vanished: readonly BegunHold[];
  readonly corrupt: CorruptLines;
  readonly unreadable: readonly { readonly file: string; readonly why: string }[];
}

export interface CorruptLines {
  readonly count: number;
  /** The first ones. */
  readonly lines: readonly { readonly file: string; readonly line: number; readonly why: string }[];
}

/** So many are no longer read by anybody, and more would have to be asked for. */
const DEFAULT_LIMIT = 1000;
/** Of refusals: their counts say more than each of them. */
const DEFAULT_REFUSED = 10;
/** Corrupt lines that are named. The rest is counted. */
const MAX_NAMED = 100;

export const history: Verb = {
  description:
    'Show what was done to the holds of the fleet, the newest last; with -p, what bound those profiles, and so what was done to the root as well. With --refused, what those holds kept back, by the receipts of gateways.',
  examples: [
    'fleet history',
    'fleet history -p lane-a --since 24h',
    'fleet history --refused --door cron',
  ],
  configure: (command) => {
    addSelection(
      command,
      'only what bound this profile (repeatable), which need not be there still',
    );
    command
      .addOption(valued('--since <duration>', 'only what was done in the last 45m, 2h, 2d'))
      .addOption(
        valued(
          '--limit <count>',
          `only the newest so many (default: ${DEFAULT_LIMIT}, with --refused ${DEFAULT_REFUSED})`,
          { read: readLimit },
        ),
      )
      .addOption(flag('--refused', 'what was refused, counted by profile and door'))
      .addOption(repeated('--door <name>', 'with --refused: only at this door (repeatable)'));
  },
  run,
};

async function run(command: Command, nowMs: number): Promise<Answer> {
  const options = command.opts<HistoryOptions>();
  const sinceMs =
    options.since === undefined ? null : nowMs - readDurationMs('--since', options.since);
  if (options.refused) {
    const limit = Number(options.limit ?? DEFAULT_REFUSED);
    const session = openSession(options, nowMs);
    const { refused } = await import('../history/refused.ts');
    return refused(session, { sinceMs, doors: options.door ?? null, limit });
  }
  if (options.door !== undefined) {
    throw refusal('`--door` without `--refused`', 'give both: a journal knows no doors');
  }
  const limit = Number(options.limit ?? DEFAULT_LIMIT);
  const session = openForPast(options, nowMs);
  const facts = read(session, options, { sinceMs, limit });
  return {
    exit: facts.unreadable.length === 0 ? EXIT.done : EXIT.unreadable,
    document: () => historyDocument(facts),
    lines: (view) => historyLines(facts, view),
    notices: historyNotices(facts),
  };
}

/** A profile that is gone has a past all the same: whether it ever was, the journal tells. */
function openForPast(options: HistoryOptions, nowMs: number): Session {
  if (options.profile === undefined) return openSession(options, nowMs);
  return openSession({ ...options, allowMissing: true }, nowMs);
}

function read(
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
  // Neither there nor remembered: most likely mistyped. It throws, and says what is near.
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

/** What is done to the root and the cluster binds every profile. */
const binds = ({ profile }: JournalRecord, asked: readonly string[]): boolean =>
  profile === null || asked.includes(profile);

/** Takes many and keeps the last `limit`. */
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
    /** One that no line tells of, where it happened. The lines themselves stay in their order. */
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

function readLimit(text: string): string {
  if (/^[1-9]\d{0,6}$/.test(text)) return text;
  throw refusal(`\`--limit ${text}\` is not a count`, 'give a number from 1 to 9999999');
}
