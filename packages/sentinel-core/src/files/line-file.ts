/**
 * Appends lines to a file in a folder's `.fleet/`, by one write each, so that lines of several writers
 * do not mix, and bounded: a full file is moved aside (`line-rotation.ts`).
 * What a line says is the caller's; reading them back is `line-read.ts`.
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
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf, failureOf, orNull } from './errno.ts';
import { giveToOwner } from './give-to-owner.ts';
import { inodeAt, MAX_BYTES, type Rotation, rotate } from './line-rotation.ts';
import { makeOwnFolder } from './make-folder.ts';
import { withinRecords } from './records-folder.ts';

export type Journaled =
  | { readonly written: true }
  | { readonly written: false; readonly why: string };

export interface LineFile {
  /** Never throws an errno. After `close` the file is opened for this line alone. */
  append(line: string): Journaled;
  close(): void;
}

interface Opened {
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
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEWLINE = 0x0a;
const NOT_A_FILE = 'not a regular file';

/** Where the lines of this name are: `<dir>/.fleet/<name>.ndjson`. */
export const linesPath = (dir: string, name: string): string =>
  join(dir, '.fleet', `${name}.ndjson`);

/** One line, and nothing stays open. */
export function appendLine(dir: string, name: string, line: string, rotation: Rotation): Journaled {
  const file = openLines(dir, name, rotation);
  file.close();
  return file.append(line);
}

/**
 * For many lines: the file stays open, and is looked at before each line, for it may have been moved
 * aside or removed by others. Opens nothing before the first line.
 */
export function openLines(dir: string, name: string, rotation: Rotation = {}): LineFile {
  const path = linesPath(dir, name);
  /** Looking is done by path, and every change within a folder that nobody can exchange meanwhile. */
  const reached = <T>(change: (path: string) => T): T =>
    withinRecords(dirname(path), (folder) => change(join(folder, basename(path))));
  let open: Opened | null = null;
  /** Where our last line ended. A file that ends there has had no other writer since. */
  let ended = -1n;
  let closed = false;

  const release = (): void => {
    const fd = open?.fd;
    open = null;
    ended = -1n;
    if (fd !== undefined) failureOf(() => closeSync(fd));
  };

  const ready = (): Opened => {
    const there = open === null ? undefined : lookAt(path);
    if (open !== null && there?.ino === open.ino && there.dev === open.dev) {
      open = { ...open, size: there.size };
    } else {
      release();
      makeFolder(dir);
      open = reached((file) => openAt(file, modesIn(dir).file));
    }
    if (open.size < (rotation.maxBytes ?? MAX_BYTES)) return open;
    const { ino } = open;
    // Whatever prevents the new one: the line then goes into the old one, wherever that is.
    const fresh = orNull(() =>
      reached((file) => {
        rotate(file, ino, rotation);
        return openAt(file, modesIn(dir).file);
      }),
    );
    if (fresh === null) return open;
    release();
    open = fresh;
    return fresh;
  };

  const write = (line: string): Journaled => {
    // Once more only where the file was removed meanwhile, and the line with it.
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
 * Opens the file to append; a new one gets its mode, and from root its folder's owner. Throws an
 * errno, or NOT_A_FILE as its code.
 */
function openAt(path: string, mode: number): Opened {
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

/** Does it end in half a line, of a writer that was killed or met a full disk? */
function endsTorn(path: string, ino: bigint, size: bigint): boolean {
  if (size === 0n) return false;
  // Not by the handle that writes: opened for reading too, a FIFO would not be refused.
  const fd = orNull(() => openSync(path, READ));
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

/** So slow a writer that its file was moved aside, outlived by others, and removed. */
function isRemoved(path: string, fd: number): boolean {
  const { ino, nlink } = fstatSync(fd, { bigint: true });
  return nlink === 0n && inodeAt(path) !== ino;
}

/**
 * `.fleet/` and its files are the owner's alone, unless the folder itself is writable for its group:
 * then whoever may pause there may also leave a record.
 */
function modesIn(dir: string): { readonly folder: number; readonly file: number } {
  const { mode } = statSync(dir);
  const shared = (mode & 0o020) !== 0;
  return shared ? { folder: (mode & 0o2000) | 0o770, file: 0o660 } : { folder: 0o700, file: 0o600 };
}

/** Its mode is set, since the umask takes bits away that a shared fleet needs. */
function makeFolder(dir: string): void {
  const folder = join(dir, '.fleet');
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  const code = failureOf(() =>
    makeOwnFolder(folder, (fd) => {
      giveToOwner(fd, dir);
      fchmodSync(fd, modesIn(dir).folder);
    }),
  );
  if (code !== '' && code !== 'EEXIST') throw Object.assign(new Error(folder), { code });
}
