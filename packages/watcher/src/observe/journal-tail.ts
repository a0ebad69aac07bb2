/**
 * Reads what was appended to the journal since the last read.
 * What a line explains is decided in `state/departures.ts`.
 */
import { type LineTail, tailLines } from '@fleet-estop/sentinel-core';
import type { JournalLine } from '../state/journal-line.ts';

/** Starts at the end: earlier lifts explain no departure of this run. */
export const journalTail = (path: string): LineTail<JournalLine> => tailLines(path, lineOf);

/** null: the line explains nothing. */
function lineOf(value: unknown): JournalLine | null {
  const { at, event, scope, holds, actor } = fieldsOf(value);
  if (typeof event !== 'string' || typeof scope !== 'string' || !Array.isArray(holds)) return null;
  const holdIds = holds.flatMap((hold) => {
    const { id } = fieldsOf(hold);
    return typeof id === 'string' ? [id] : [];
  });
  const known = typeof actor === 'object' && actor !== null ? fieldsOf(actor) : null;
  return { at: typeof at === 'string' ? at : null, event, scope, holdIds, actor: known };
}

const fieldsOf = (value: unknown): { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null ? (value as { [key: string]: unknown }) : {};
