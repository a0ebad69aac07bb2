/**
 * The recorded scenarios, as they are in the data file; its header explains every field.
 * What we answer is `answers.ts`, where we differ on purpose `deviations.ts`.
 */
import { readFileSync } from 'node:fs';

export interface Scenario {
  readonly id: string;
  readonly layout: 'split' | 'same';
  readonly disk: { readonly profile?: HomeEntry; readonly root: DiskEntry };
  readonly run_as: 'superuser' | 'unprivileged';
  readonly root_folder_mode?: string;
  readonly verdict: Verdict;
}

export type DiskEntry =
  | { readonly kind: 'absent' | 'fifo' | 'socket' }
  | FileEntry
  | { readonly kind: 'directory'; readonly children?: readonly string[] }
  | { readonly kind: 'symlink'; readonly target: string; readonly target_entry?: DiskEntry }
  /** Not the sentinel's own name: relative to the folder. */
  | { readonly kind: 'named'; readonly name: string; readonly entry: DiskEntry };

export interface FileEntry {
  readonly kind: 'file';
  readonly body: Body;
  /** Octal. */
  readonly mode?: string;
  /** A second name of the same file. */
  readonly hardlink?: string;
}

/** The sentinel in a profile's home, or what is wrong with that home itself. */
export type HomeEntry =
  | DiskEntry
  | { readonly kind: 'folder-missing' | 'folder-is-file' | 'folder-symlink-to-root' };

export type Body =
  | { readonly encoding: 'utf8' | 'base64'; readonly data: string }
  | {
      readonly encoding: 'utf8';
      readonly prefix: string;
      readonly fill: string;
      readonly fill_count: number;
      readonly suffix: string;
    };

/** An answer, or how there was none. */
export type Recorded<T> = T | { readonly raises: string } | { readonly hangs: true };

export interface Pair {
  readonly user_id: string | null;
  readonly profile: string | null;
}

/** Does an entry named ESTOP stand there? `profile` only where there are two folders. */
export interface Present {
  readonly root: boolean;
  readonly profile?: boolean;
}

interface Verdict {
  readonly engaged: Recorded<boolean>;
  readonly present_after_engaged: Present;
  readonly state: Recorded<RecordedState | null>;
  readonly allowed: readonly (Pair & { readonly allowed: Recorded<boolean> })[];
  readonly disengage: boolean;
  readonly present_after_disengage: Present;
}

/** Values stand as they were found in the body, of whatever JSON type. */
export interface RecordedState {
  readonly reason: unknown;
  readonly engaged_at: unknown;
  readonly expires_at: unknown;
  readonly allow: { readonly user_ids?: readonly string[]; readonly profiles?: readonly string[] };
}

export function readScenarios(): readonly Scenario[] {
  const file = new URL('./data/hermes-estop.json', import.meta.url);
  const recorded: { scenarios: Scenario[] } = JSON.parse(readFileSync(file, 'utf8'));
  return recorded.scenarios;
}

export const failed = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && ('raises' in answer || 'hangs' in answer);
