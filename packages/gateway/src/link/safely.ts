/**
 * Calls an author's callback. An error in it becomes an uncaught error of the process, and must not
 * stop us from following the disk.
 */
/** Returns the result of `call`, or undefined if it threw. */
export function safely<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
    return undefined;
  }
}
