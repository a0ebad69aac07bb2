/**
 * Waits for what a test expects: it looks at once, and again at each `wake`.
 * How long a test may take is the runner's rule.
 */
export interface Waiting {
  /** Something may have changed. */
  readonly wake: () => void;
  /** Resolves with the first answer of `find` that is not undefined. */
  readonly until: <T>(find: () => T | undefined) => Promise<T>;
}

export function startWaiting(): Waiting {
  const waiting = new Set<() => void>();
  return {
    wake() {
      for (const look of [...waiting]) look();
    },
    until: (find) =>
      new Promise((resolve) => {
        const look = () => {
          const found = find();
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}
