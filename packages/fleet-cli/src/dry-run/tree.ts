/**
 * A copy of a scope's files in memory, with folders and with files that can have several names (hard links).
 * The disk calls on it are `disk.ts`.
 */
import type { DiskPort, Entry } from '@fleet-estop/sentinel-core';

export interface File {
  readonly kind: 'file' | 'other';
  readonly ino: string;
  /** The errno of opening it for reading. */
  readonly unopened?: string;
  /** The content, or the errno of reading it. */
  content: Uint8Array | string;
  /** How many names (hard links) it has, here and elsewhere. */
  names: number;
}

export interface Folder {
  readonly kind: 'dir';
  readonly ino: string;
  readonly entries: Map<string, Node>;
}

export type Node = File | Folder;

export const errno = (code: string): Error => Object.assign(new Error(code), { code });

export const newFolder = (ino: string): Folder => ({ kind: 'dir', ino, entries: new Map() });

export const entryOf = ({ kind, ino }: Node): Entry => ({ kind, ino });

/**
 * Copies `path` from `disk`, with `depth` levels of folders below it; null: nothing is there. Below that only
 * names are copied, because the protocol uses nothing there. Throws errors with errno codes.
 */
export function copyFrom(disk: DiskPort, path: string, depth: number): Node | null {
  const entry = disk.lstat(path);
  if (entry === null) return null;
  const { kind, ino } = entry;
  if (kind !== 'dir') return { kind, ino, ...contentOf(disk, path) };
  const folder = newFolder(ino);
  for (const name of namesIn(disk, path, depth)) {
    const inside: Node | null =
      depth === 0
        ? { kind: 'other', ino: `in-${ino}`, content: 'EINVAL', names: 1 }
        : copyFrom(disk, `${path}/${name}`, depth - 1);
    if (inside !== null) folder.entries.set(name, inside);
  }
  return folder;
}

/** For a folder that is not a tenure, it is enough to know that it is not empty. */
function namesIn(disk: DiskPort, path: string, depth: number): readonly string[] {
  try {
    return disk.readdir(path);
  } catch (error) {
    if (depth === 0 && errnoOrThrow(error) === 'EOVERFLOW') return ['too-many'];
    throw error;
  }
}

function contentOf(disk: DiskPort, path: string): Omit<File, 'kind' | 'ino'> {
  let handle: ReturnType<DiskPort['open']>;
  try {
    handle = disk.open(path, 'r');
  } catch (error) {
    return { unopened: errnoOrThrow(error), content: errnoOrThrow(error), names: 1 };
  }
  const names = disk.namesOf(handle);
  try {
    return { content: disk.read(handle), names };
  } catch (error) {
    return { content: errnoOrThrow(error), names };
  } finally {
    disk.close(handle);
  }
}

export function errnoOrThrow(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  throw error;
}
