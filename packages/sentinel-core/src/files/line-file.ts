/**
 * Appends lines to a file in a folder's `.fleet/`. Each line is one write, so that lines of several
 * writers do not mix. The size is bounded: `line-rotation.ts` moves a full file aside.
 * The caller decides what a line contains; `line-read.ts` reads them.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf, failureOf, orNull } from './errno.ts';
import { giveToOwner } from './give-to-owner.ts';
import { inodeAt, MAX_BYTES, type Rotation, rotate } from './line-rotation.ts';
import { makeRecordsFolder, recordModes } from './make-records.ts';
import { READ_SAFELY } from './open.ts';
import { withinRecords } from './records-folder.ts';

/** Whether a line was written; `why`: the errno, `not a regular file` or `link-of-another`. */
export type JournalOutcome =
  | { readonly written: true }
  | { readonly written: false; readonly why: string };

/** A file to which lines are appended. */
export interface LineFile {
  /**
   * Appends one line. Never throws an errno. After `close` it opens the file for this line only.
   */
  append(line: string): JournalOutcome;
  close(): void;
}

interface OpenFile {
  readonly fd: number;
  readonly ino: bigint;
  readonly dev: bigint;
  readonly size: bigint;
}

const APPEND =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_NOFOLLOW |
  constants.O_NONBLOCK;
const NEWLINE = 0x0a;
const NOT_A_FILE = 'not a regular file';

/** The path of the lines of this name: `<dir>/.fleet/<name>.ndjson`. */
export const linesPath = (dir: string, name: string): string =>
  join(dir, '.fleet', `${name}.ndjson`);

/** Appends one line and leaves nothing open. */
export function appendLine(
  dir: string,
  name: string,
  line: string,
  rotation: Rotation,
): JournalOutcome {
  const file = openLines(dir, name, rotation);
  file.close();
  return file.append(line);
}

/**
 * Opens a file for many lines. Opens nothing before the first line. Then the file stays open, and
 * its path is checked before each line, because others may have moved or removed it. Throws
 * nothing.
 */
export function openLines(dir: string, name: string, rotation: Rotation = {}): LineFile {
  const path = linesPath(dir, name);
  /**
   * Looks go by path; every change happens in an open folder, which nobody can replace meanwhile.
   */
  const reached = <T>(change: (path: string) => T): T =>
    withinRecords(dirname(path), (folder) => change(join(folder, basename(path))));
  let open: OpenFile | null = null;
  /** Where our last line ended. If the file still ends there, nobody else has written since. */
  let ended = -1n;
  let closed = false;

  const release = (): void => {
    const fd = open?.fd;
    open = null;
    ended = -1n;
    if (fd !== undefined) failureOf(() => closeSync(fd));
  };

  const ready = (): OpenFile => {
    const there = open === null ? undefined : lookAt(path);
    if (open !== null && there?.ino === open.ino && there.dev === open.dev) {
      open = { ...open, size: there.size };
    } else {
      release();
      makeRecordsFolder(dir);
      open = reached((file) => openAt(file, recordModes(dir).file));
    }
    if (open.size < (rotation.maxBytes ?? MAX_BYTES)) return open;
    const { ino } = open;
    // If a new file cannot be made, the line goes into the old one, wherever that is.
    const fresh = orNull(() =>
      reached((file) => {
        rotate(file, ino, rotation);
        return openAt(file, recordModes(dir).file);
      }),
    );
    if (fresh === null) return open;
    release();
    open = fresh;
    return fresh;
  };

  const write = (line: string): JournalOutcome => {
    // Write again only if the file was removed meanwhile, and the line with it.
    for (let tries = 1; ; tries++) {
      const { fd, ino, size } = ready();
      const isTorn = size !== ended && endsTorn(path, ino, size);
      const bytes = Buffer.from(`${isTorn ? '\n' : ''}${line}\n`);
      if (writeSync(fd, bytes) !== bytes.length) return { written: false, why: 'ENOSPC' };
      ended = size + BigInt(bytes.length);
      if (tries === 2 || !isRemoved(path, fd)) return { written: true };
      release();
    }
  };

  return {
    append(line) {
      try {
        return write(line);
      } catch (error) {
        const why = codeOf(error);
        release();
        return { written: false, why };
      } finally {
        if (closed) release();
      }
    },
    close() {
      closed = true;
      release();
    },
  };
}

/**
 * Opens the file to append. A new file gets its mode and, if root makes it, the owner of its
 * folder. Throws an errno, or NOT_A_FILE as its code.
 */
function openAt(path: string, mode: number): OpenFile {
  let fd: number;
  try {
    fd = openSync(path, APPEND | constants.O_EXCL, 0o600);
    failureOf(() => giveToOwner(fd, dirname(path)));
    failureOf(() => fchmodSync(fd, mode));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    fd = openSync(path, APPEND, mode);
  }
  const found = fstatSync(fd, { bigint: true });
  if (found.isFile()) return { fd, ino: found.ino, dev: found.dev, size: found.size };
  closeSync(fd);
  throw Object.assign(new Error(`${NOT_A_FILE}: ${path}`), { code: NOT_A_FILE });
}

const lookAt = (path: string): BigIntStats | undefined =>
  lstatSync(path, { bigint: true, throwIfNoEntry: false });

/** Whether the file ends in half a line, of a writer that was killed or met a full disk. */
function endsTorn(path: string, ino: bigint, size: bigint): boolean {
  if (size === 0n) return false;
  // Not by the writing handle: if that were also open for reading, a FIFO would not be refused.
  const fd = orNull(() => openSync(path, READ_SAFELY));
  if (fd === null) return false;
  try {
    if (fstatSync(fd, { bigint: true }).ino !== ino) return false;
    const last = Buffer.alloc(1);
    return readSync(fd, last, 0, 1, size - 1n) === 1 && last[0] !== NEWLINE;
  } catch (error) {
    codeOf(error);
    return false;
  } finally {
    closeSync(fd);
  }
}

/** Whether the open file was rotated and then removed, because this writer was very slow. */
function isRemoved(path: string, fd: number): boolean {
  const { ino, nlink } = fstatSync(fd, { bigint: true });
  return nlink === 0n && inodeAt(path) !== ino;
}
