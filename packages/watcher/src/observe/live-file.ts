/**
 * One settings file: what is in force, and when a change to it is accepted.
 * When the file is checked is decided in `live-settings.ts`.
 */
import { join } from 'node:path';
import { identifyFolder } from '@fleet-estop/sentinel-core';
import { describeProblem, type Problem, type SettingsFile } from '@fleet-estop/settings';
import { type Signature, signatureOf } from './file-signature.ts';

/** A rejected file, and what is in force instead. */
export interface RejectedFile {
  readonly path: string;
  /** `file:line:column: message …`, one for each mistake. */
  readonly problems: readonly string[];
  readonly inForce: 'last-good' | 'defaults';
}

export interface FileReport {
  /** The file was rejected; called once for each set of mistakes. */
  rejected(file: RejectedFile): void;
  /** A rejected file is valid again, or gone. */
  recovered(path: string): void;
}

export interface SettleTime {
  /** How long a file must stay missing, empty or broken before that is accepted. */
  readonly unchangedMs: number;
  /** After this time a broken file is accepted as broken even if it keeps changing. */
  readonly maxMs: number;
}

export interface LiveFile<T> {
  /** Path of the file. */
  readonly path: string;
  /** Folder of the file. */
  readonly dir: string;
  readonly read: () => Promise<SettingsFile<T>>;
  signature: string;
  inForce: T | null;
  rejected: RejectedFile | null;
  /**
   * A missing, empty or broken file that is not accepted yet; null: the last reading is in force.
   */
  pending: PendingChange | null;
}

/** Monotonic milliseconds. */
interface PendingChange {
  /** Signature of what was read; it stays the same while the file is unchanged. */
  readonly content: string;
  readonly sinceMs: number;
  readonly dueMs: number;
}

/** Differs from every signature. */
const FOLDER_GONE = 'away';

export const liveFile = <T>(
  dir: string,
  name: string,
  read: () => Promise<SettingsFile<T>>,
): LiveFile<T> => ({
  path: join(dir, name),
  dir,
  read,
  signature: 'absent',
  inForce: null,
  rejected: null,
  pending: null,
});

/** null: the file is unchanged, and no change is pending. */
export function changeIn<T>(file: LiveFile<T>): Signature | null {
  const signature = signatureOf(file.path);
  const isDue = file.pending !== null && file.pending.dueMs <= performance.now();
  if (!isDue && signature.text === file.signature) return null;
  if (identifyFolder(file.dir).state !== 'absent') return signature;
  // The whole folder is gone, as when a fleet is moved: nobody removed the settings. They are read
  // again when the folder is back.
  file.signature = FOLDER_GONE;
  file.pending = null;
  return null;
}

/** `signature` was taken before reading, so a write during the read is noticed next time. */
export async function reread<T>(
  file: LiveFile<T>,
  signature: Signature,
  settleTime: SettleTime,
  report: FileReport,
): Promise<void> {
  const found = await readSettings(file);
  // A file that was unreadable for a moment (no descriptors, an absent server) keeps its signature
  // when it becomes readable, so try it at every sweep.
  const isPassing =
    found.state === 'rejected' &&
    found.problems.some((it) => typeof it === 'string' || it.code === 'unreadable');
  file.signature = isPassing ? 'unread' : signature.young ? 'young' : signature.text;
  const problems = found.state === 'rejected' ? found.problems.map(textOf) : [];
  if (found.state !== 'read' && !isInForce(file, problems)) {
    file.pending = pendingAfter(file.pending, signature.text, settleTime);
    if (file.pending !== null) return;
  }
  file.pending = null;
  if (found.state === 'rejected') {
    const known = isInForce(file, problems);
    const inForce = file.inForce === null ? 'defaults' : 'last-good';
    file.rejected = { path: file.path, problems, inForce };
    if (!known) report.rejected(file.rejected);
    return;
  }
  const settings = found.state === 'read' ? found.settings : null;
  if (JSON.stringify(settings) !== JSON.stringify(file.inForce)) file.inForce = settings;
  if (file.rejected !== null) report.recovered(file.path);
  file.rejected = null;
}

const textOf = (problem: Problem | string): string =>
  typeof problem === 'string' ? problem : describeProblem(problem);

/** Whether this result is in force already. No problems means that the file is gone. */
const isInForce = <T>({ rejected, inForce }: LiveFile<T>, problems: readonly string[]): boolean =>
  rejected === null
    ? problems.length === 0 && inForce === null
    : rejected.problems.join('\n') === problems.join('\n');

/** null: it has been unchanged for long enough, or has kept changing for too long. */
function pendingAfter(
  before: PendingChange | null,
  about: string,
  settleTime: SettleTime,
): PendingChange | null {
  const nowMs = performance.now();
  const sinceMs = before?.sinceMs ?? nowMs;
  const stillUntilMs = before?.content === about ? before.dueMs : nowMs + settleTime.unchangedMs;
  const dueMs = Math.min(stillUntilMs, sinceMs + settleTime.maxMs);
  return dueMs <= nowMs ? null : { content: about, sinceMs, dueMs };
}

type ReadResult<T> =
  | SettingsFile<T>
  | { readonly state: 'rejected'; readonly problems: readonly string[] };

/**
 * Reading throws only if the YAML parser is not fully installed; holds are watched all the same.
 */
async function readSettings<T>(file: LiveFile<T>): Promise<ReadResult<T>> {
  try {
    return await file.read();
  } catch (error) {
    return { state: 'rejected', problems: [`${file.path}: ${String(error)}`] };
  }
}
