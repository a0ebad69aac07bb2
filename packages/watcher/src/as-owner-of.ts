/**
 * What root creates in another user's fleet belongs to that fleet's owner. Otherwise the owner
 * could start no watcher afterwards, and neither gateways nor commands could reach this one.
 * Any other user creates files as itself, and the kernel decides whether it may.
 *
 * The effective user changes, for single synchronous steps, because a socket cannot be handed over
 * by its handle: a chown by name could give away a file that the owner has put in its place.
 */
import { lstatSync, statSync } from 'node:fs';
import { codeOrText, withinRecords } from '@fleet-estop/sentinel-core';

/**
 * Runs one synchronous step that creates something private in this folder. Root runs it with the
 * rights of the folder's owner, so that a link which the owner planted cannot lead to a file of
 * root's. For a link, the owner is whoever made the link.
 */
export const asOwnerOf = <T>(folder: string, step: () => T): T => withUmask(folder, 0o077, step);

/**
 * Like `asOwnerOf`, for a socket that everybody with write access to the folder may use. The umask
 * sets its mode at creation: a later chmod could hit something that replaced it.
 */
export const makeSocketIn = <T>(folder: string, step: () => T): T =>
  withUmask(folder, 0o777 & ~(statSync(folder).mode & 0o660), step);

/**
 * Renames or removes something in this folder. `change` gets a path that leads to the same folder in all
 * of its calls: the owner of the root can put a link in the place of the folder at any moment, also
 * between the two ends of one rename. A link of that owner is followed with the owner's rights alone.
 */
export function changeIn<T>(folder: string, change: (folder: string) => T): T {
  try {
    return withinRecords(folder, change);
  } catch (error) {
    if (codeOrText(error) !== 'link-of-another') throw error;
    if (process.geteuid?.() !== 0) return change(folder);
    const { uid, gid } = lstatSync(folder);
    if (uid === 0) throw error;
    return asUser(uid, gid, () => change(folder));
  }
}

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
