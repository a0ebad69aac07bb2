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

/** Words and errnos that say what stands there: no readable body, and so one anonymous hold. */
const DESCRIPTIVE: ReadonlySet<string> = new Set([
  'empty',
  'not-utf8',
  'utf-16',
  'not-json',
  'too-many-holds',
  'ELOOP', // a symbolic link
  'EISDIR',
  'EINVAL', // no regular file
  'ENXIO', // a socket, or a device without a driver
  'ENODEV',
  'EFBIG', // longer than a body may be
]);

/**
 * Could the sentinel not be looked at? Then it may carry any holds of anybody: it is held, and only a
 * lift of everyone's may end it. Every errno counts that does not describe what stands there, be it
 * of permissions (EACCES), of this process (EMFILE) or of the disk (EIO, ESTALE).
 */
export const couldNotLook = (why: string | undefined): why is string =>
  why !== undefined && !DESCRIPTIVE.has(why);

/** Runs the steps and throws what failed as an errno: for a failure after which nothing else counts. */
export function required(code: string): void {
  if (code !== '') throw Object.assign(new Error(code), { code });
}
