/**
 * A journal line, reduced to what explains why a hold came or went, and the key by which a line and
 * a hold on disk are the same. Reading the journal is `observe/journal-tail.ts`.
 */

export interface JournalLine {
  readonly at: string | null;
  readonly event: string;
  /** Folder of the scope. */
  readonly scope: string;
  readonly holdIds: readonly string[];
  readonly actor: Readonly<Record<string, unknown>> | null;
}

/**
 * An id from a body is unique; an id derived from an inode is unique only within its folder. Other
 * hosts may write another folder path, if they mount the root elsewhere.
 */
export const keyOf = (dir: string, id: string): string =>
  id.startsWith('anon-') ? `${dir}\n${id}` : id;
