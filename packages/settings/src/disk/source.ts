/**
 * Reads the bytes of one settings file through one open handle, so that a link that is swapped meanwhile
 * cannot mix two versions. Links are followed, because containers get their settings that way, but only
 * if their owner may link to that file (`mayLead`).
 * Decoding is `decode.ts`.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
} from 'node:fs';
import { codeOf, meansAbsent } from '@fleet-estop/sentinel-core';
import type { Problem, ProblemCode } from '../problem.ts';

/** Far more than settings need, and small enough to read at once. */
const MAX_BYTES = 256 * 1024;
/** Attempts to open a link whose target is replaced at the same moment; one retry is nearly always enough. */
const MAX_TRIES = 8;
// Do not block on a FIFO without a writer, and do not acquire a controlling terminal.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

export type Source =
  | { readonly state: 'absent' }
  | { readonly state: 'read'; readonly bytes: Uint8Array }
  | { readonly state: 'rejected'; readonly problem: Problem };

/** Reads at most 256 KiB and one byte. Never blocks, and never throws because of what is at the path. */
export function readSource(file: string): Source {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      return readOnce(file);
    } catch (error) {
      const errno = codeOf(error);
      // Opening a socket fails with these, on Linux and on macOS.
      if (errno === 'ENXIO' || errno === 'EOPNOTSUPP') return notAFile(file, 'a socket');
      if (!meansAbsent(errno)) return unreadable(file, errno);
      const link = linkAt(file);
      if (link === 'none') return { state: 'absent' };
      if (link !== 'exists') return unreadable(file, link);
    }
  }
  return rejected(file, 'dangling-link', 'a link that leads nowhere', {
    expected: 'a file at its end',
    hint: 'repair the link, or remove it if no settings are meant',
  });
}

function readOnce(file: string): Source {
  const { fd, link } = open(file);
  try {
    const stats = fstatSync(fd);
    if (link !== null && !mayLead(link, stats)) return unreadable(file, FOREIGN_LINK);
    if (!stats.isFile()) return notAFile(file, kindOf(stats));
    const buffer = Buffer.allocUnsafe(MAX_BYTES + 1);
    let length = 0;
    while (length <= MAX_BYTES) {
      const got = readSync(fd, buffer, length, buffer.length - length, length);
      if (got === 0) return { state: 'read', bytes: buffer.subarray(0, length) };
      length += got;
    }
    return rejected(file, 'too-large', 'the file is too large', {
      expected: `at most ${MAX_BYTES / 1024} KiB`,
      hint: null,
    });
  } finally {
    closeSync(fd);
  }
}

/** Opens the file; `link` is the link that was followed, if any. */
function open(file: string): { readonly fd: number; readonly link: Stats | null } {
  try {
    return { fd: openSync(file, FLAGS | constants.O_NOFOLLOW), link: null };
  } catch (error) {
    if (codeOf(error) !== 'ELOOP') throw error;
  }
  const before = lstatSync(file);
  const fd = openSync(file, FLAGS);
  const after = lstatSync(file, { throwIfNoEntry: false });
  // Moving a link away and back changes its ctime.
  if (after?.ino === before.ino && after.ctimeMs === before.ctimeMs) return { fd, link: after };
  closeSync(fd);
  throw Object.assign(new Error(`${file}: changed meanwhile`), { code: 'ENOENT' });
}

/**
 * A writer of the home could make us read a file that they may not read, and quote it in our messages.
 * So a link of a user who is neither root nor ourselves may lead only to files of the same user.
 */
const mayLead = (link: Stats, file: Stats): boolean =>
  link.uid === 0 || link.uid === process.geteuid?.() || link.uid === file.uid;

const FOREIGN_LINK = 'link-of-another';

/** Whether something exists at a path that could not be opened, or the errno of `lstat`. */
function linkAt(file: string): 'none' | 'exists' | (string & {}) {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) === undefined ? 'none' : 'exists';
  } catch (error) {
    const errno = codeOf(error);
    return errno === 'ENOTDIR' ? 'none' : errno;
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  return stats.isFIFO() ? 'a FIFO' : 'a device';
}

const notAFile = (file: string, kind: string): Source =>
  rejected(file, 'not-a-file', `this is ${kind}`, { expected: 'a regular file', hint: null });

const unreadable = (file: string, errno: string): Source =>
  rejected(
    file,
    'unreadable',
    `the file cannot be read: \`${errno}\``,
    { expected: null, hint: HINTS[errno] ?? null },
    { errno },
  );

const HINTS: { readonly [errno: string]: string } = {
  EACCES: 'let this user read the file and enter the folders above it',
  EPERM: 'let this user read the file and enter the folders above it',
  [FOREIGN_LINK]: 'make the link as root, as this user, or as the owner of the file it leads to',
  ELOOP: 'the link leads back to itself: repair it',
};

function rejected(
  file: string,
  code: ProblemCode,
  message: string,
  advice: { readonly expected: string | null; readonly hint: string | null },
  more: { readonly errno?: string } = {},
): Source {
  const place = { file, line: null, column: null, key: '' };
  return { state: 'rejected', problem: { code, ...place, message, ...advice, ...more } };
}
