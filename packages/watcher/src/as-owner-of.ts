/**
 * What root makes in somebody else's fleet belongs to whoever owns that fleet: else its owner could
 * start no watcher afterwards, and neither gateways nor commands could reach this one.
 * Everybody else makes what is their own, and the kernel says whether they may.
 */
import { lstatSync, statSync } from 'node:fs';

/**
 * Runs one synchronous step that makes something in this folder, and nothing that others may use.
 * Root takes it with the rights of the folder's owner, so that no link which that one puts in its way
 * leads it to anything of root's. Of a link, that is whoever made the link.
 */
export const asOwnerOf = <T>(folder: string, step: () => T): T => withUmask(folder, 0o077, step);

/**
 * As `asOwnerOf`, of a socket for all who may write in the folder. It has its mode from its beginning:
 * to change that afterwards would change what somebody has put in its place.
 */
export const makeSocketIn = <T>(folder: string, step: () => T): T =>
  withUmask(folder, 0o777 & ~(statSync(folder).mode & 0o660), step);

function withUmask<T>(folder: string, mask: number, step: () => T): T {
  const { uid, gid } = lstatSync(folder);
  const umask = process.umask(mask);
  try {
    return process.geteuid?.() === 0 && uid !== 0 ? asUser(uid, gid, step) : step();
  } finally {
    process.umask(umask);
  }
}

function asUser<T>(uid: number, gid: number, step: () => T): T {
  const group = process.getegid?.() ?? 0;
  process.setegid?.(gid);
  try {
    process.seteuid?.(uid);
    return step();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(group);
  }
}
