/**
 * A copy in memory of what stands in a scope's folder, which the sentinel protocol can change as if
 * it were on disk: names, folders, and files that may have several names.
 * What it is copied from, and the calls that change it, are `rehearsal-disk.ts`.
 */
import type { DiskPort, Entry } from '@fleet-estop/sentinel-core';

export interface File {
  readonly kind: 'file' | 'other';
  readonly ino: string;
  /** The errno that opening it for reading ends with. */
  readonly unopened?: string;
  /** What reading it gives, or the errno that it ends with. */
  content: Uint8Array | string;
  /** How many names it has, here and elsewhere. */
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
 * What stands at `path` on `disk`, and in folders what is in them, so many folders deep; null: nothing
 * does. Deeper, only names are known: nothing of ours lies there. Throws errno codes.
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

/** Of a folder that is no tenure, it is enough to know that there is something in it. */
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
