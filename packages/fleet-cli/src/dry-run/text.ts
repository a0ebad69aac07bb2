/**
 * Marks the output of a dry run, so that nobody mistakes it for a change that was made.
 */
import type { Scope } from '@fleet-estop/sentinel-core';
import type { Session } from '../fleet/session.ts';
import type { Field } from '../text/fields.ts';
import type { Json } from '../text/json.ts';
import { visible } from '../text/visible.ts';
import { sentinelText } from './session.ts';

/** The lines of stdout or stderr, in a dry run with a heading. */
export const markDryRun = ({ dryRun }: Session, lines: readonly string[]): readonly string[] =>
  dryRun && lines.length > 0
    ? ['DRY RUN: nothing was written; this is what would be done:', ...lines]
    : lines;

/** `PAUSED`, or in a dry run `WOULD BE PAUSED`. */
export const outcomeWord = ({ dryRun }: Session, word: string): string =>
  dryRun ? `WOULD BE ${word}` : word;

/** In a dry run: the text that the sentinel would have. */
export function bodyFields(session: Session, { dir }: Scope): Field[] {
  if (!session.dryRun) return [];
  const text = sentinelText(session.disk, dir);
  if (text === null) return [['body', 'none: there would be no sentinel']];
  return [['body', text === '' ? 'an empty file' : visible(text)]];
}

/** The same for JSON, unchanged. */
export const bodyJson = (session: Session, { dir }: Scope): { [key: string]: Json } => ({
  body: session.dryRun ? sentinelText(session.disk, dir) : null,
});
