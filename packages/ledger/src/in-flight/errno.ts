/**
 * How failed system calls become values; what is none (a bug) flies.
 * Which of them matter is for whoever made the call. The core has the same for itself, and keeps it:
 * what it exports is about holds and their files, and is promised to whoever imports it.
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
