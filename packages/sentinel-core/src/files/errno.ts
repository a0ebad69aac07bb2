/**
 * Turns failed system calls into values. The protocol decides on errno codes; an error without a
 * code is a bug and is thrown on.
 * What an errno means for a hold is decided in `disk/`.
 */

/** The errno code of a failed system call. Throws `error` again if it has none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  throw error;
}

/** The code of any error, else its text. For reports that must not throw. */
export const codeOrText = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : String(error);
};

/** Runs one step. Returns '' if it succeeded, else its errno code. */
export function failureOf(step: () => void): string {
  try {
    step();
    return '';
  } catch (error) {
    return codeOf(error);
  }
}

/** The value of a step; null if it failed. For steps whose failure changes nothing. */
export function orNull<T>(step: () => T): T | null {
  try {
    return step();
  } catch (error) {
    codeOf(error);
    return null;
  }
}

/** Only these two errnos mean that nothing is there. Every other one means "unknown". */
export const meansAbsent = (code: string): boolean => code === 'ENOENT' || code === 'ENOTDIR';

/** The target name is taken, or the folder is not empty. */
export const meansTaken = (code: string): boolean => code === 'EEXIST' || code === 'ENOTEMPTY';

/**
 * This file system or the owner of this file does not allow hard links. Any other errno is a
 * failure.
 */
export const refusesLinks = (code: string): boolean =>
  ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code);

/** Words and errnos that describe what is there: not a readable body, and so one anonymous hold. */
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
 * Whether `why`, the `unreadable` of a sentinel, means that the sentinel could not be looked at.
 * Then it may carry holds of anybody: it counts as held, and only a lift of everyone's holds may
 * remove it [2]. Every errno counts that does not describe what is there, be it about permissions
 * (EACCES), this process (EMFILE) or the disk (EIO, ESTALE). Decision:
 * `2026-11-29-somebody-elses-file.md`.
 */
export const couldNotLook = (why: string | undefined): why is string =>
  why !== undefined && !DESCRIPTIVE.has(why);

/** Throws an errno code again, unless it is ''. For a failure after which nothing else counts. */
export function required(code: string): void {
  if (code !== '') throw Object.assign(new Error(code), { code });
}
