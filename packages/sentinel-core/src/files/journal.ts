/**
 * Appends to the record of changes of the fleet's holds: one JSON line each in
 * `.fleet/journal.ndjson`. The journal explains and never decides: an operation whose line cannot
 * be written has still succeeded.
 * `line-file.ts` appends lines; `journal-read.ts` reads them.
 */
import { randomBytes } from 'node:crypto';
import type { Actor, Hold } from '../model/hold.ts';
import { jsonText } from '../model/json-text.ts';
import { formatInstant } from '../model/stamp.ts';
import { appendLine, type JournalOutcome, linesPath } from './line-file.ts';
import type { Rotation } from './line-rotation.ts';

/** What to record of one change in one scope. */
export interface JournalEntry {
  /** `foreign-`: another tool made the change, and the watcher saw it. */
  readonly event: 'arm' | 're-arm' | 'lift' | 'expire' | 'retire' | 'foreign-arm' | 'foreign-lift';
  /** The scope's folder. */
  readonly scope: string;
  readonly profile?: string;
  readonly holds: readonly Pick<Hold, 'id' | 'holder' | 'reason' | 'expiresAt'>[];
  /** The generation of the body afterwards; null: there is no body, or it could not be read. */
  readonly generation: string | null;
  readonly actor: Actor;
  /**
   * Id of the call that made the change: one id for all scopes that it changed. Decision:
   * `2026-11-30-undo-by-operation.md`.
   */
  readonly operation?: string;
}

const NAME = 'journal';

/** A new random id for one call that changes holds. It differs from every hold id. */
export const newOperation = (): string => `op-${randomBytes(6).toString('hex')}`;

/** The path of a root's journal. */
export const journalPath = (root: string): string => linesPath(root, NAME);

/**
 * Appends one line with a single write, so that lines of several writers do not mix. Rotates a full
 * journal first. `nowMs`: milliseconds since the epoch. Returns `written: false` and why instead of
 * throwing an errno. Decision: `2026-11-29-journal-rotation.md`.
 */
export const appendJournal = (
  root: string,
  entry: JournalEntry,
  nowMs = Date.now(),
  rotation: Rotation = {},
): JournalOutcome => appendLine(root, NAME, lineOf(entry, nowMs), rotation);

function lineOf(
  { event, scope, profile, holds, generation, actor, operation }: JournalEntry,
  nowMs: number,
): string {
  return jsonText({
    at: formatInstant(nowMs),
    event,
    scope,
    ...(profile === undefined ? {} : { profile }),
    holds: holds.map(({ id, holder, reason, expiresAt }) => ({
      id,
      holder,
      reason,
      expires_at: expiresAt,
    })),
    generation,
    actor,
    ...(operation === undefined ? {} : { operation }),
  });
}
