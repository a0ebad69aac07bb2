/**
 * How failed system calls become values: the protocol decides on errno codes, and lets anything
 * that is not one (a bug) fly.
 */

/** The errno code of a failed system call; rethrows what is none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  throw error;
}

/** Runs one step: '' when it worked, else its errno code. */
export function failureOf(step: () => void): string {
  try {
    step();
    return '';
  } catch (error) {
    return codeOf(error);
  }
}

/** The value of a step, null when it failed. For steps whose failure changes nothing. */
export function orNull<T>(step: () => T): T | null {
  try {
    return step();
  } catch (error) {
    codeOf(error);
    return null;
  }
}

/** Only these two mean that there is nothing there; everything else is "cannot tell". */
export const meansAbsent = (code: string): boolean => code === 'ENOENT' || code === 'ENOTDIR';

export const meansTaken = (code: string): boolean => code === 'EEXIST' || code === 'ENOTEMPTY';

/** This file system, or this file's owner, does not grant hard links; anything else is a failure. */
export const refusesLinks = (code: string): boolean =>
  ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code);

/** We may not read it, and somebody else may: it says more than we can see. */
export const isForbidden = (code: string | undefined): boolean =>
  code === 'EACCES' || code === 'EPERM';
