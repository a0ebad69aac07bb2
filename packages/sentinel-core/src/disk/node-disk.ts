/**
 * Implements the protocol's file system on `node:fs`, one function per primitive.
 * It knows nothing of sentinels except the mode of a new file, the size of a body, and which
 * folders of a path lie below a scope. `walk.ts` reaches those folders without following links.
 */

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { codeOf, failureOf, orNull } from '../files/errno.ts';
import { makeOwnFolder } from '../files/make-folder.ts';
import { READ_SAFELY } from '../files/open.ts';
import { mayRemove } from '../files/removable.ts';
import { withinFolder } from '../files/walk.ts';
import { MAX_BODY_BYTES } from '../model/body.ts';
import { bootUptime } from '../process/boot-clock.ts';
import { hostId, processIsGone } from '../process/token-owner.ts';
import { belowScope } from './names.ts';
import { type DiskPort, type Entry, MAX_LISTED, MAX_STAGED, type OpenMode } from './port.ts';

/** Options of `nodeDisk`. */
export interface NodeDiskOptions {
  /**
   * Milliseconds. Minimum time for which a tenure must be seen before it is taken over, unless its
   * owner is known to be gone. Default: 2,000.
   */
  readonly patienceMs?: number;
}

/** Bounds the memory of tenures seen. Many tenures at once do not occur in practice. */
const MAX_REMEMBERED = 64;
const FLAGS: Record<OpenMode, number> = {
  r: READ_SAFELY,
  'r+': constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
};
const QUIET = { throwIfNoEntry: false } as const;

/**
 * Creates a disk port on the real file system. It is cheap, and one per process is enough. Works on
 * Linux and macOS. Its methods throw errnos; the operations of this package turn them into values.
 */
export function nodeDisk({ patienceMs = 2_000 }: NodeDiskOptions = {}): DiskPort {
  // Distinguishes two processes that had the same process id one after the other. It is not a
  // secret.
  const run = Math.floor(Math.random() * 2 ** 48).toString(36);
  let tokens = 0;
  const firstSeen = new Map<string, number>();

  return {
    lstat(path): Entry | null {
      const found = belowScope(path) === null ? lstatSync(path, QUIET) : lstatBelow(path);
      if (found === undefined) return null;
      const kind = found.isFile() ? 'file' : found.isDirectory() ? 'dir' : 'other';
      return { kind, ino: String(found.ino) };
    },
    readdir(path) {
      const { scope, folders, name } = belowScope(path) ?? inScope(path);
      return withinFolder(scope, [...folders, name], (folder) => {
        const names = listed(folder, MAX_LISTED + 1, () => true);
        if (names.length > MAX_LISTED) throw failed('EOVERFLOW', `more than ${MAX_LISTED} names`);
        return names;
      });
    },
    staged: (scope, prefix) =>
      listed(scope === '' ? '.' : scope, MAX_STAGED, (name) => name.startsWith(prefix)),
    // Every user who may pause here may also take a tenure over, so the folder takes the scope's
    // mode. Never the sticky bit: it would forbid the takeover.
    mkdir: (path) =>
      reach(path, (reached) =>
        makeOwnFolder(reached, (fd) => fchmodSync(fd, (scopeMode(path) & 0o2777) | 0o700)),
      ),
    rmdir: (path) => reach(path, rmdirSync),
    unlink: (path) => reach(path, unlinkSync),
    link: (from, to) => reach(from, (source) => reach(to, (target) => linkSync(source, target))),
    rename: (from, to) =>
      reach(from, (source) => reach(to, (target) => renameSync(source, target))),
    open: (path, mode) =>
      reach(path, (reached) => {
        const fd = openSync(reached, FLAGS[mode], 0o600);
        // The scope's mode, whatever the umask is: a hold that others cannot read never expires for
        // them.
        if (mode === 'wx') failureOf(() => fchmodSync(fd, scopeMode(path) & 0o666));
        return fd;
      }),
    inoOf: (handle) => String(fstatSync(handle as number).ino),
    namesOf: (handle) => fstatSync(handle as number).nlink,
    read(handle) {
      const fd = handle as number;
      const found = fstatSync(fd);
      if (!found.isFile()) throw failed('EINVAL', 'not a regular file');
      // Allocates the size that `fstat` reports. A whole 64 KiB would be most of the cost of a
      // look.
      let buffer = Buffer.allocUnsafe(Math.min(found.size, MAX_BODY_BYTES) + 1);
      for (let length = 0; ; ) {
        const got = readSync(fd, buffer, length, buffer.length - length, length);
        if (got === 0) return buffer.subarray(0, length);
        length += got;
        if (length > MAX_BODY_BYTES) throw failed('EFBIG', `longer than ${MAX_BODY_BYTES} bytes`);
        // The file has grown since the `fstat`.
        if (length === buffer.length) buffer = Buffer.concat([buffer], MAX_BODY_BYTES + 1);
      }
    },
    write(handle, text) {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) {
        at += writeSync(handle as number, bytes, at, bytes.length - at);
      }
    },
    truncate: (handle) => ftruncateSync(handle as number, 0),
    fsync: (handle) => fsyncSync(handle as number),
    fsyncDir(path) {
      failureOf(() => {
        const fd = openSync(path === '' ? '.' : path, constants.O_RDONLY | constants.O_DIRECTORY);
        try {
          fsyncSync(fd);
        } finally {
          closeSync(fd);
        }
      });
    },
    close: (handle) => closeSync(handle as number),
    mayRemove,
    now: () => Date.now(),
    uptime: bootUptime,
    token: () => `${hostId()}.${process.pid}.${run}.${tokens++}`,
    stale(path, token) {
      // A stray file (`.DS_Store`, `.nfs…`) is not a tenure. Waiting for it would be in vain.
      if (processIsGone(token) || isNoFolder(path)) return true;
      // Any other owner is stale after it was seen for `patienceMs` by OUR monotonic clock. No
      // other host's clock is used.
      const now = performance.now();
      const since = firstSeen.get(token) ?? now;
      if (firstSeen.size >= MAX_REMEMBERED) firstSeen.clear();
      firstSeen.set(token, since);
      return now - since >= patienceMs;
    },
    pause(attempt) {
      // The random factor separates processes that began together; otherwise they would collide
      // again and again.
      const ms = Math.min(20, 2 ** attempt) * (0.5 + Math.random());
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    },
  };
}

/** Runs one call on a path without following a link below the scope. */
function reach<T>(path: string, call: (path: string) => T): T {
  const below = belowScope(path);
  if (below === null) return call(path);
  return withinFolder(below.scope, below.folders, (folder) => call(`${folder}/${below.name}`));
}

function lstatBelow(path: string): Stats | undefined {
  try {
    return reach(path, (reached) => lstatSync(reached, QUIET));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const isNoFolder = (path: string): boolean =>
  orNull(() => reach(path, (reached) => lstatSync(reached, QUIET)))?.isDirectory() === false;

const inScope = (path: string) => ({
  scope: dirname(path),
  folders: [],
  name: basename(path),
});

/** At most `most` of the wanted names, sorted as in the explorer's model. */
function listed(folder: string, most: number, isWanted: (name: string) => boolean): string[] {
  const names: string[] = [];
  const dir = opendirSync(folder, { bufferSize: 256 });
  try {
    for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
      if (isWanted(entry.name)) names.push(entry.name);
      if (names.length === most) break;
    }
  } finally {
    dir.closeSync();
  }
  return names.sort();
}

/**
 * The mode for a new file or folder: that of the scope's folder, since a tenure's folder may be a
 * dead owner's.
 */
const scopeMode = (path: string): number => statSync(belowScope(path)?.scope ?? dirname(path)).mode;

const failed = (code: string, message: string): Error =>
  Object.assign(new Error(`${code}: ${message}`), { code });
