/**
 * Makes a folder inside a folder in which others may write, and lets the caller set its mode and
 * owner.
 * `line-file.ts` and `disk/node-disk.ts` choose mode and owner.
 */
import { closeSync, constants, fstatSync, mkdirSync, openSync } from 'node:fs';
import { orNull } from './errno.ts';

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Milliseconds. Times on file systems are coarser than the clock. */
const CLOCK_TICK_MS = 2_000;

/**
 * Makes the folder `path` with mode 0700, and lets `finish` set its mode and owner through the file
 * descriptor. Throws the errno of making it, or of `finish`; after the latter the folder exists
 * with mode 0700.
 *
 * INVARIANT: `finish` is called only for the folder that was just made. The owner of the parent
 * folder may have replaced it with a link or with another folder of ours. Such a folder is older,
 * or already open to others. If that cannot be ruled out, the new folder keeps mode 0700.
 */
export function makeOwnFolder(path: string, finish: (fd: number) => void): void {
  const beganMs = Date.now();
  mkdirSync(path, 0o700);
  const fd = orNull(() => openSync(path, FOLDER));
  if (fd === null) return;
  try {
    const { uid, mode, mtimeMs } = fstatSync(fd);
    const isOurs = uid === process.geteuid?.() && (mode & 0o077) === 0;
    if (isOurs && mtimeMs >= beganMs - CLOCK_TICK_MS) finish(fd);
  } finally {
    closeSync(fd);
  }
}
