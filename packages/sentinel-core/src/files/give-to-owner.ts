/**
 * What root makes in somebody else's folder is that owner's, who could write no line otherwise.
 * What is made, and with which mode, is for whoever made it.
 */
import { fchownSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { orNull } from './errno.ts';

/**
 * INVARIANT: the owner is that of the folder in which the open file really is, and not of what is
 * called `folder`. Who owns the fleet may make that a link into a folder of root's, or swap it for
 * one between any two steps of ours, and would be given a file in there. Throws an errno.
 */
export function giveToOwner(fd: number, folder: string): void {
  if (process.geteuid?.() !== 0) return;
  const path = orNull(() => readlinkSync(`/proc/self/fd/${fd}`));
  // Where no kernel tells where that is, what is no link at least leads nowhere else.
  const found = path === null ? lstatSync(folder) : statSync(dirname(path));
  if (found.isDirectory() && found.uid !== 0) fchownSync(fd, found.uid, found.gid);
}
