/**
 * Formats and parses the record of a restart under way. Anybody with write access to the home could have
 * written it, so it is parsed as hostile input.
 * The file is `restart-file.ts`; what to do about a dead restart is `settle-restart.ts`.
 */
import { type ProcessMark, parseMark } from '@fleet-estop/sentinel-core';

/** In the order in which a restart takes them. Each is written before it begins. */
export const RESTART_STEPS = ['held', 'draining', 'cutting', 'restarting', 'verifying'] as const;
export type RestartStep = (typeof RESTART_STEPS)[number];

export interface RestartRecord {
  /** The operation id of the restart. */
  readonly id: string;
  /** The holder of its own hold: `restart-…`, unique to one run. */
  readonly holder: string;
  /** The id of that hold when this was written. It changes at each renewal; null: none was seen yet. */
  readonly hold: string | null;
  /** The process that restarts. */
  readonly mark: ProcessMark;
  /** Instances that served the profile before. */
  readonly oldInstances: readonly string[];
  readonly step: RestartStep;
  /** ISO 8601: when the step began. */
  readonly since: string;
  readonly reason: string | null;
}

/** Characters of a reason, an instance or a hold id. */
const MAX_WORD = 1_024;
const MAX_INSTANCES = 256;

/**
 * The holder of every restart begins so. A record is only a hint: holds of other holders are never touched,
 * whatever a record says.
 */
const holderPattern = /^restart-[A-Za-z0-9.-]{1,56}$/;
const idPattern = /^[A-Za-z0-9-]{1,64}$/;

export const restartText = (record: RestartRecord): string =>
  `${JSON.stringify({ version: 1, ...record })}\n`;

/** null: not a record of this version. */
export function parseRestart(text: string): RestartRecord | null {
  const fields = objectIn(text);
  const { version, id, holder, hold, mark, oldInstances, step, since, reason } = fields;
  const process = parseMark(mark);
  const known = RESTART_STEPS.find((one) => one === step);
  if (version !== 1 || process === null || known === undefined) return null;
  if (typeof id !== 'string' || !idPattern.test(id)) return null;
  if (typeof holder !== 'string' || !holderPattern.test(holder)) return null;
  if (!Array.isArray(oldInstances) || oldInstances.length > MAX_INSTANCES) return null;
  if (!oldInstances.every(isWord) || !isWord(since)) return null;
  if (hold !== null && !isWord(hold)) return null;
  if (reason !== null && !isWord(reason)) return null;
  return { id, holder, hold, mark: process, oldInstances, step: known, since, reason };
}

/** Whether nothing has been restarted at this step: what was done so far can be undone. */
export const isUndoable = ({ step }: RestartRecord): boolean =>
  RESTART_STEPS.indexOf(step) < RESTART_STEPS.indexOf('restarting');

const isWord = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_WORD;

function objectIn(text: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as { [key: string]: unknown }) : {};
  } catch {
    return {};
  }
}
