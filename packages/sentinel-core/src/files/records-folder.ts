/**
 * The folder `.fleet/` of a root or a home, where records are kept. Unlike what lies below a scope's
 * tenure it may be a link, but not anybody's: whoever may write in the home would lead root's records
 * into a folder of root's.
 * What is written there is `line-file.ts`.
 */
import { closeSync, constants, lstatSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './errno.ts';
import { handlePath, hasHandlePaths, THROUGH } from './walk.ts';

/** A link of somebody who is neither root, nor ourselves, nor the owner of the folder it is in. */
const FOREIGN_LINK = 'link-of-another';

/**
 * Runs `act` with a path that leads to this folder, whatever becomes of its name meanwhile. Throws an
 * errno, or FOREIGN_LINK as its code.
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
  // It was the same link all the time: whoever moves one away and back changes it.
  const after = judgeLink(folder);
  if (before.ino === after.ino && before.ctimeNs === after.ctimeNs) return fd;
  closeSync(fd);
  throw failed(FOREIGN_LINK, folder);
}

/**
 * The owner of a folder is not root's friend: root follows only links of root's. Others are stopped by
 * the kernel where they may not write, and trust whoever owns the folder that they keep records in.
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
