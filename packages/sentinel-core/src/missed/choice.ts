/**
 * What the lift of a hold says about the work that was missed while it stood, and its file in
 * `<scope>/.fleet/missed/`. The file is written before the lift, so that neither a crash nor a
 * missing watcher can lose the choice.
 * Writing is `write-missed.ts`, reading is `read-missed.ts`. Decision:
 * `2026-12-01-missed-work-chosen-at-the-lift.md`.
 */
import { createHash } from 'node:crypto';
import { jsonText } from '../model/json-text.ts';
import { formatInstant, parseStamp } from '../model/stamp.ts';

export type MissedChoice = (typeof MISSED_CHOICES)[number];

/** The most careful one first. */
export const MISSED_CHOICES = ['ask', 'skip', 'catch-up'] as const;

export const MISSED_FOLDER = 'missed';
export const MAX_MISSED_BYTES = 4_096;

/** Characters of a name that are kept. It is for people. */
const MAX_BY = 64;
const MAX_ID = 128;
/** Starts with a letter or digit, so it is never hidden, a temporary name or a path. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** A hold id comes from disk and can be any text: one that is no safe file name is hashed. */
export const missedName = (hold: string): string =>
  `${SAFE_ID.test(hold) ? hold : `sha256-${createHash('sha256').update(hold).digest('hex')}`}.json`;

/** The id in the file, which a foreign sentinel can make as long as it likes. */
export const missedId = (hold: string): string => hold.slice(0, MAX_ID);

export function missedText(
  {
    hold,
    choice,
    by,
  }: { readonly hold: string; readonly choice: MissedChoice; readonly by: string },
  nowMs: number,
): string {
  const at = formatInstant(nowMs);
  const whose = by.slice(0, MAX_BY);
  return `${jsonText({ version: 1, choice, hold: missedId(hold), by: whose, at })}\n`;
}

export interface ParsedChoice {
  readonly choice: MissedChoice;
  readonly hold: string;
  readonly atMs: number;
}

/** null: the text is no choice of this version. */
export function parseMissed(text: string): ParsedChoice | null {
  const { version, choice, hold, at } = fieldsOf(text);
  const known = MISSED_CHOICES.find((word) => word === choice);
  const micros = typeof at === 'string' ? parseStamp(at) : null;
  if (version !== 1 || known === undefined || typeof hold !== 'string' || micros === null) {
    return null;
  }
  return { choice: known, hold, atMs: Number(micros / 1000n) };
}

function fieldsOf(text: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
