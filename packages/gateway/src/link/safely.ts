/**
 * Calls an author's functions: a mistake in one of them is theirs to hear of, as an uncaught error,
 * and must not stop us from looking.
 */
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
