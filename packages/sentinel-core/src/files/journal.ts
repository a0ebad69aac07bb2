/**
 * The record of what was done to the fleet's holds: one JSON line each in `.fleet/journal.ndjson`.
 * It explains and never decides: an operation whose line cannot be written has still succeeded.
 * How a line is appended is `line-file.ts`; reading them is `journal-read.ts`.
 */
import { randomBytes } from 'node:crypto';
import type { Actor, Hold } from '../model/hold.ts';
import { jsonText } from '../model/json-text.ts';
import { formatInstant } from '../model/stamp.ts';
import { appendLine, type Journaled, linesPath } from './line-file.ts';
import type { Rotation } from './line-rotation.ts';

export interface JournalEntry {
  /** `foreign-`: another tool did it, and the watcher saw it. */
  readonly event: 'arm' | 're-arm' | 'lift' | 'expire' | 'retire' | 'foreign-arm' | 'foreign-lift';
  /** The scope's folder. */
  readonly scope: string;
  readonly profile?: string;
  readonly holds: readonly Pick<Hold, 'id' | 'holder' | 'reason' | 'expiresAt'>[];
  /** Of the body afterwards; null where none is left or none could be read. */
  readonly generation: string | null;
  readonly actor: Actor;
  /** Of the call that did it: one id for all the scopes that it changed. */
  readonly operation?: string;
}

const NAME = 'journal';

/** An id for one call that changes holds, unlike any hold's own. */
export const newOperation = (): string => `op-${randomBytes(6).toString('hex')}`;

/** Where a root's journal is. */
export const journalPath = (root: string): string => linesPath(root, NAME);

/**
 * Appends one line, by a single write so that lines of several writers do not mix. A journal that is
 * full is moved aside first. Never throws an errno.
 */
export const appendJournal = (
  root: string,
  entry: JournalEntry,
  nowMs = Date.now(),
  rotation: Rotation = {},
): Journaled => appendLine(root, NAME, lineOf(entry, nowMs), rotation);

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
