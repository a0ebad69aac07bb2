/**
 * Gives a file that root makes in another user's folder to the owner of that folder, who could not
 * write a line otherwise.
 * The caller makes the file and sets its mode.
 */
import { fchownSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { orNull } from './errno.ts';

/**
 * Makes the owner of the folder the owner of the open file, if this process is root. Throws an
 * errno.
 *
 * INVARIANT: the owner is that of the folder in which the open file really is, not that of the path
 * `folder`. The owner of the fleet may replace that path with a link into a folder of root's, or
 * swap it between any two of our steps, and would be given a file in there.
 */
export function giveToOwner(fd: number, folder: string): void {
  if (process.geteuid?.() !== 0) return;
  const path = orNull(() => readlinkSync(`/proc/self/fd/${fd}`));
  // Without `/proc` the real folder is unknown; but a path that is no link at least leads nowhere
  // else.
  const found = path === null ? lstatSync(folder) : statSync(dirname(path));
  if (found.isDirectory() && found.uid !== 0) fchownSync(fd, found.uid, found.gid);
}
