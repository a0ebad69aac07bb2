/**
 * Makes a folder in one that others may write in, and gives it mode and owner afterwards.
 * Which mode and owner is for whoever makes it.
 */
import { closeSync, constants, fstatSync, mkdirSync, openSync } from 'node:fs';
import { orNull } from './errno.ts';

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** File systems tell the time more coarsely than we do. */
const CLOCK_TICK_MS = 2_000;

/**
 * Makes a folder of ours alone, and lets `finish` give it mode and owner by its handle. Throws the
 * errno of making it, or of `finish`: then it stands, and is ours alone.
 *
 * INVARIANT: that is done only to what we have just made. Whoever owns the folder around it may have
 * put a link in its place, or another folder of ours: that one is older, or open to others already.
 * Where that cannot be told, the new one stays ours alone.
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
