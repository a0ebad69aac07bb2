/**
 * Reads the status of a path, with a failure as a value.
 * The callers decide: for them "absent" and "unknown" differ.
 */
import { lstatSync, type Stats, statSync } from 'node:fs';

/** The status of the path after all links, or the errno code. */
export function statOrErrno(path: string): Stats | string {
  try {
    return statSync(path);
  } catch (error) {
    return codeOrUnknown(error);
  }
}

/** Whether the name exists, also as a dangling link. true also if that is unknown. */
export function nameExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return !meansMissing(codeOrUnknown(error));
  }
}

/** The code of any error, or `unknown`. Unlike `codeOf` in `files/errno.ts` it never throws. */
export const codeOrUnknown = (error: unknown): string =>
  (error as NodeJS.ErrnoException | null)?.code ?? 'unknown';

export const meansMissing = (code: string): boolean => code === 'ENOENT' || code === 'ENOTDIR';

/** Identifies a file or folder by device and inode. */
export const identityOf = (stats: Stats): string => `${stats.dev}:${stats.ino}`;
