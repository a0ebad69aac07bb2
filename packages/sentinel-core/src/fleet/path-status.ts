/**
 * Reads the status of a path, with a failure as a value.
 * The callers decide: for them "absent" and "unknown" differ.
 */
import { lstatSync, type Stats, statSync } from 'node:fs';
import { codeOrText, meansAbsent } from '../files/errno.ts';

/** The status of the path after all links, or the errno code. */
export function statOrErrno(path: string): Stats | string {
  try {
    return statSync(path);
  } catch (error) {
    return codeOrText(error);
  }
}

/** Whether the name exists, also as a dangling link. true also if that is unknown. */
export function nameExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return !meansAbsent(codeOrText(error));
  }
}

/** Identifies a file or folder by device and inode. */
export const identityOf = (stats: Stats): string => `${stats.dev}:${stats.ino}`;
