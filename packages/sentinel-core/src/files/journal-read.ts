/**
 * Reads the journal, oldest line first.
 * `line-read.ts` reads the lines, also from rotated files; `journal.ts` writes them.
 */
import type { Actor } from '../model/hold.ts';
import { parseStamp } from '../model/stamp.ts';
import { journalPath } from './journal.ts';
import { type LineRead, readLines } from './line-read.ts';

/** One line of the journal, as it was written. */
export interface JournalRecord {
  /** When it was written, ISO 8601. */
  readonly at: string;
  readonly atMs: number;
  /** One of the events of `JournalEntry`, or a word of a later version. */
  readonly event: string;
  /** The scope's folder. */
  readonly scope: string;
  /** null: not a profile's scope. */
  readonly profile: string | null;
  readonly holds: readonly JournalHold[];
  readonly generation: string | null;
  readonly actor: Actor | null;
  /** Id of the call that made the change; null: none was recorded. */
  readonly operation: string | null;
}

/** A hold as a line of the journal records it. */
export interface JournalHold {
  readonly id: string;
  readonly holder: string | null;
  readonly reason: string | null;
  readonly expiresAt: string | null;
}

/** A record, a corrupt line or an unreadable file of a journal. */
export type JournalRead = LineRead<JournalRecord>;

/**
 * The lines of a root's journal, oldest first; none if there is no journal. Lines that are written
 * while it is read may be missing, and none appears twice. Unreadable lines and files are reported
 * in place (`LineRead`). Throws no errno. Memory is bounded.
 */
export const readJournal = (root: string): Generator<JournalRead, void, undefined> =>
  readLines(journalPath(root), (value) => recordOf(fieldsOf(value)), { maxBytes: MAX_FILE_BYTES });

/**
 * Bytes. Many times the size at which our writers rotate a file: a file with holes can claim any
 * length.
 */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

type Fields = { readonly [key: string]: unknown };

function recordOf(fields: Fields) {
  const { at, event, scope, profile, holds, generation, actor, operation } = fields;
  const micros = typeof at === 'string' ? parseStamp(at) : null;
  if (typeof at !== 'string' || micros === null) return null;
  if (typeof event !== 'string' || typeof scope !== 'string' || !Array.isArray(holds)) return null;
  const record: JournalRecord = {
    at,
    atMs: Number(micros / 1000n),
    event,
    scope,
    profile: textOr(profile),
    holds: holds.map(fieldsOf).map(({ id, holder, reason, expires_at }) => ({
      id: textOr(id) ?? '',
      holder: textOr(holder),
      reason: textOr(reason),
      expiresAt: textOr(expires_at),
    })),
    generation: textOr(generation),
    actor: actorOf(actor),
    operation: textOr(operation),
  };
  return record;
}

/** An incomplete actor is shown in part. */
function actorOf(value: unknown): Actor | null {
  if (typeof value !== 'object' || value === null) return null;
  const { user, host, pid, via } = fieldsOf(value);
  return {
    user: textOr(user) ?? '',
    host: textOr(host) ?? '',
    pid: typeof pid === 'number' ? pid : 0,
    via: textOr(via) ?? '',
  };
}

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
