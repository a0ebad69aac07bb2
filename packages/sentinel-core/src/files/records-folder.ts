/**
 * Opens the folder `.fleet/` of a root or a home, where records are kept. Unlike a folder below a
 * scope's tenure it may be a link, but not a link of just any user: a user who may write in the
 * home could lead root's records into a folder of root's.
 * `line-file.ts` writes there.
 */
import { closeSync, constants, lstatSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './errno.ts';
import { handlePath, hasHandlePaths, THROUGH } from './walk.ts';

/**
 * Code for a link of a user who is neither root, nor this process's user, nor the owner of the
 * folder around the link.
 */
const FOREIGN_LINK = 'link-of-another';

/**
 * Runs `act` with a path to this folder that stays valid if the folder is renamed or replaced
 * meanwhile (on Linux). Throws an errno, or the code `link-of-another` for a link of another user.
 */
export function withinRecords<T>(folder: string, act: (folder: string) => T): T {
  const fd = hasHandlePaths() ? opened(folder) : null;
  if (fd === null) {
    judgeLink(folder);
    return act(folder);
  }
  try {
    return act(handlePath(fd));
  } finally {
    closeSync(fd);
  }
}

function opened(folder: string): number {
  try {
    return openSync(folder, THROUGH);
  } catch (error) {
    if (codeOf(error) !== 'ENOTDIR') throw error;
  }
  const before = judgeLink(folder);
  const fd = openSync(folder, THROUGH & ~constants.O_NOFOLLOW);
  // The link must be unchanged: moving a link away and back changes its ctime.
  const after = judgeLink(folder);
  if (before.ino === after.ino && before.ctimeNs === after.ctimeNs) return fd;
  closeSync(fd);
  throw failed(FOREIGN_LINK, folder);
}

/**
 * Throws for a link that this process must not follow. Root follows only links of root, since the
 * owner of the folder is not trusted by root. Other users are stopped by the kernel where they may
 * not write, and trust the owner of the folder in which they keep records.
 */
function judgeLink(folder: string) {
  const found = lstatSync(folder, { bigint: true });
  if (!found.isSymbolicLink()) return found;
  const us = BigInt(process.geteuid?.() ?? 0);
  const isTrusted = found.uid === 0n || found.uid === us;
  if (isTrusted || (us !== 0n && found.uid === statSync(dirname(folder), { bigint: true }).uid))
    return found;
  throw failed(FOREIGN_LINK, folder);
}

const failed = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code });
