/**
 * The narrow synchronous file system that the sentinel protocol runs on.
 * `node-disk.ts` implements it on `node:fs`, and the explorer on its model of a POSIX folder, so
 * that the same protocol code is shipped and explored. Every method throws an error with a POSIX
 * `code` if the call fails.
 */
import type { BootClock } from '../model/deadline.ts';

/** What `lstat` reports of an entry; `ino` is its inode number as text. */
export interface Entry {
  readonly kind: 'file' | 'dir' | 'other';
  readonly ino: string;
}

/** How a file is opened. */
export type OpenMode =
  /** Read. Never follows a link and never blocks. */
  | 'r'
  /** Read and write an existing file. Never follows a link. */
  | 'r+'
  /** Create a new file. EEXIST if the name is taken. */
  | 'wx';

/** A file descriptor on `node:fs`; a text in the explorer's model. */
export type Handle = number | string;

/**
 * Maximum number of names that `readdir` lists. A tenure has a handful of names; more were put
 * there to keep other processes busy.
 */
export const MAX_LISTED = 64;
/** Maximum number of staging names that one sweep removes. Killed operations leave them. */
export const MAX_STAGED = 1_024;

/**
 * The file system calls of the protocol. No call follows a link below a scope's folder: a link in
 * the place of a folder is ENOTDIR (decision: `2026-11-30-links-below-a-scope.md`).
 */
export interface DiskPort extends BootClock {
  /**
   * null if there is no such entry (ENOENT). Throws ENOTDIR and every other errno. Never follows a
   * link.
   */
  lstat(path: string): Entry | null;
  /**
   * The sorted names in a folder that is not a scope's folder. EOVERFLOW if there are more than
   * `MAX_LISTED`.
   */
  readdir(path: string): string[];
  /** The names in a scope's folder that begin with `prefix`, at most `MAX_STAGED`. */
  staged(scope: string, prefix: string): string[];
  mkdir(path: string): void;
  rmdir(path: string): void;
  unlink(path: string): void;
  /** Makes a hard link. EEXIST if `to` is taken. */
  link(from: string, to: string): void;
  rename(from: string, to: string): void;
  open(path: string, mode: OpenMode): Handle;
  /** The inode of an open handle. */
  inoOf(handle: Handle): string;
  /** The number of names (hard links) of an open file. */
  namesOf(handle: Handle): number;
  /** The file's bytes. EFBIG beyond the body limit, EINVAL for anything but a regular file. */
  read(handle: Handle): Uint8Array;
  write(handle: Handle, text: string): void;
  truncate(handle: Handle): void;
  fsync(handle: Handle): void;
  /** Makes the names in a folder durable. Best effort: never throws an errno. */
  fsyncDir(path: string): void;
  close(handle: Handle): void;
  /** Whether this process may remove the file. Called only for an expired sentinel. */
  mayRemove(path: string): boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * A new token that names its maker. It is unique for ever, safe as part of a file name, and
   * contains no ':' and no '/'.
   */
  token(): string;
  /**
   * Whether the tenure `path`, made by `token`, looks abandoned. Only speed depends on the answer,
   * never safety.
   */
  stale(path: string, token: string, attempt: number): boolean;
  /** Blocks for some milliseconds, longer for a greater `attempt`. */
  pause(attempt: number): void;
}
