/**
 * Turns failed system calls into errno codes, and rethrows anything else, which is a bug.
 * What a code means is for the caller. The core has the same functions but does not export them.
 */

/** The errno code of a failed system call; rethrows any other error. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  throw error;
}

/** Runs one step. Returns '' if it worked, else its errno code. */
export function failureOf(step: () => void): string {
  try {
    step();
    return '';
  } catch (error) {
    return codeOf(error);
  }
}
