/**
 * What the model of a POSIX folder is made of: worlds, system calls, and what they answer.
 * What each call does is `posix-calls.ts`.
 */

/** What an inode is: a text, or one of the first two. */
export type Content = string;
export const FOLDER = '\0folder';
export const FIFO = '\0fifo';
/** In the files of the beginning: a second name of that file. */
export const linkTo = (path: string): Content => LINK + path;
export const linkedBy = (content: Content): string | null =>
  content.startsWith(LINK) ? content.slice(LINK.length) : null;
const LINK = '\0link ';

/** What a write leaves behind that ran out of space half way. */
export const TORN = '{"torn';

/** Milliseconds since the epoch. The clock stands still but for one tick, where a scenario has it. */
export const BEFORE_TICK = 10_000;
export const AFTER_TICK = 20_000;

export interface World {
  readonly id: number;
  /** Path to inode; no leading `/`, and `.` is the scope itself. */
  readonly names: Readonly<Record<string, string>>;
  readonly inodes: Readonly<Record<string, Content>>;
  /** Open handles, each to the inode that it keeps alive. */
  readonly handles: Readonly<Record<string, string>>;
  readonly now: number;
}

/** A world in the making. */
export type Draft = { -readonly [K in keyof Omit<World, 'id'>]: World[K] };

export type Op =
  | 'lstat'
  | 'readdir'
  | 'mkdir'
  | 'rmdir'
  | 'unlink'
  | 'link'
  | 'rename'
  | 'open'
  | 'read'
  | 'write'
  | 'truncate'
  /** How many names the file of a handle has. */
  | 'names'
  | 'now'
  /** Has two answers; the scheduler gives both. */
  | 'stale'
  /** Foreign: creates an empty file if there is none. */
  | 'touch'
  /** Foreign: a complete private file. */
  | 'put'
  /** Foreign: time passes. */
  | 'tick';

/**
 * One system call: for `link` and `rename` the argument is the target, for `open` the mode, for
 * `readdir` what the names begin with, …
 */
export type Request = readonly [op: Op, path: string, argument: string];

interface EntryValue {
  readonly kind: 'file' | 'dir' | 'other';
  readonly ino: string;
}
export type Value = null | boolean | number | string | readonly string[] | EntryValue;
export type Result = { readonly value: Value } | { readonly code: string };

/** What a failing call throws, in the model and in the disk that actors see. */
export class Errno extends Error {
  readonly code: string;

  private constructor(code: string) {
    super(code);
    this.code = code;
  }

  /** One for each code: it is thrown millions of times, and to note where from is dear. */
  static of(code: string): Errno {
    const known = Errno.known.get(code);
    if (known !== undefined) return known;
    const made = new Errno(code);
    Errno.known.set(code, made);
    return made;
  }

  private static readonly known = new Map<string, Errno>();
}

export const parentOf = (path: string): string =>
  path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
export const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const inodeOf = (handle: string): string => handle.slice(handle.indexOf('@') + 1);

export const childrenOf = ({ names }: Pick<World, 'names'>, folder: string): string[] =>
  Object.keys(names).filter((path) => parentOf(path) === folder);
