/**
 * One settings file: what of it is in force, and whether to believe what is found now.
 * When it is looked at is `live-settings.ts`.
 */
import { join } from 'node:path';
import { identifyFolder } from '@fleet-estop/sentinel-core';
import { describeProblem, type Problem, type SettingsFile } from '@fleet-estop/settings';
import { type Signature, signatureOf } from './file-signature.ts';

/** A file that was refused, and what is in force instead. */
export interface RejectedFile {
  readonly path: string;
  /** `file:line:column: message …`, one for each mistake. */
  readonly problems: readonly string[];
  readonly inForce: 'last-good' | 'defaults';
}

export interface FileReport {
  /** A file was refused; said once for each set of mistakes. */
  rejected(file: RejectedFile): void;
  /** A file that had been refused is good again, or gone. */
  recovered(path: string): void;
}

export interface SettleTime {
  /** How long a file has to stay gone, empty or broken until that is believed. */
  readonly unchangedMs: number;
  /** Whoever keeps writing what is no good is believed after this. */
  readonly maxMs: number;
}

export interface LiveFile<T> {
  /** Of the file. */
  readonly path: string;
  /** Of the folder it is in. */
  readonly dir: string;
  readonly read: () => Promise<SettingsFile<T>>;
  signature: string;
  inForce: T | null;
  rejected: RejectedFile | null;
  /** Of what was found last; null: it is believed. */
  pending: PendingChange | null;
}

/** Both on the clock that nobody sets. */
interface PendingChange {
  /** What was found, the same as long as it stands still. */
  readonly content: string;
  readonly sinceMs: number;
  readonly dueMs: number;
}

/** No signature is this. */
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

/** null: it is what it was, and there is nothing to be settled about that. */
export function changeIn<T>(file: LiveFile<T>): Signature | null {
  const signature = signatureOf(file.path);
  const isDue = file.pending !== null && file.pending.dueMs <= performance.now();
  if (!isDue && signature.text === file.signature) return null;
  if (identifyFolder(file.dir).state !== 'absent') return signature;
  // Gone with its folder, as where a fleet is moved: nobody took the settings away. What is there
  // once the folder is, is read.
  file.signature = FOLDER_GONE;
  file.pending = null;
  return null;
}

/** `signature` was taken before: what is written while it is read gives another one the next time. */
export async function reread<T>(
  file: LiveFile<T>,
  signature: Signature,
  settleTime: SettleTime,
  report: FileReport,
): Promise<void> {
  const found = await readSettings(file);
  // A file that could not be read (no descriptors left, a server that is away) does not change when it
  // can be read again: so it is tried at every sweep.
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

/** Is this what is believed of it already? Without problems, it is gone. */
const isInForce = <T>({ rejected, inForce }: LiveFile<T>, problems: readonly string[]): boolean =>
  rejected === null
    ? problems.length === 0 && inForce === null
    : rejected.problems.join('\n') === problems.join('\n');

/** null: it has stood still for long enough, or was never still for too long. */
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

/** Reading fails only where what reads YAML is not installed whole; holds are watched all the same. */
async function readSettings<T>(file: LiveFile<T>): Promise<ReadResult<T>> {
  try {
    return await file.read();
  } catch (error) {
    return { state: 'rejected', problems: [`${file.path}: ${String(error)}`] };
  }
}
