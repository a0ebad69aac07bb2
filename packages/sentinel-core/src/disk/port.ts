/**
 * The narrow synchronous file system that the sentinel protocol runs on.
 * Implemented on `node:fs` (`node-disk.ts`) and by the explorer's model of a POSIX directory, so that
 * the very same protocol code is both shipped and explored. Every method throws an error with a POSIX
 * `code` when the call fails.
 */
import type { BootClock } from '../model/deadline.ts';

export interface Entry {
  readonly kind: 'file' | 'dir' | 'other';
  readonly ino: string;
}

export type OpenMode =
  /** Read, never following a link, never blocking. */
  | 'r'
  /** Read and write what stands there, never following a link. */
  | 'r+'
  /** Create; EEXIST when the name is taken. */
  | 'wx';

/** A file descriptor on `node:fs`; whatever the explorer likes elsewhere. */
export type Handle = number | string;

/** A tenure has a handful of names. Whoever put more there put them there to keep us busy. */
export const MAX_LISTED = 64;
/** Staging of killed operations that one sweep takes away. */
export const MAX_STAGED = 1_024;

/** No call follows a link below a scope's folder: in a folder's place, one is ENOTDIR. */
export interface DiskPort extends BootClock {
  /** null when there is no such entry (ENOENT); ENOTDIR and the rest are thrown. Never follows. */
  lstat(path: string): Entry | null;
  /** Names, sorted, of a folder that is no scope's; EOVERFLOW beyond `MAX_LISTED`. */
  readdir(path: string): string[];
  /** Names in a scope's folder that begin with `prefix`: at most `MAX_STAGED` of them. */
  staged(scope: string, prefix: string): string[];
  mkdir(path: string): void;
  rmdir(path: string): void;
  unlink(path: string): void;
  /** Hard link; EEXIST when `to` is taken. */
  link(from: string, to: string): void;
  rename(from: string, to: string): void;
  open(path: string, mode: OpenMode): Handle;
  /** Inode of an open handle. */
  inoOf(handle: Handle): string;
  /** How many names the file of an open handle has. */
  namesOf(handle: Handle): number;
  /** At most the body limit: EFBIG beyond, EINVAL for what is no regular file. */
  read(handle: Handle): Uint8Array;
  write(handle: Handle, text: string): void;
  truncate(handle: Handle): void;
  fsync(handle: Handle): void;
  /** Best effort: makes the names in a folder durable. */
  fsyncDir(path: string): void;
  close(handle: Handle): void;
  /** May this process remove the file? Asked only of an expired sentinel. */
  mayRemove(path: string): boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Unique for ever, safe as part of a file name, without ':' or '/'. Says who its maker was. */
  token(): string;
  /** Does the tenure `path`, made by `token`, look abandoned? Only speed hangs on the answer. */
  stale(path: string, token: string, attempt: number): boolean;
  /** Wait a little before attempt + 1. */
  pause(attempt: number): void;
}
