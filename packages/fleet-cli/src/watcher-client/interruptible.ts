/**
 * Lets a wait end by a signal with what is known by then, instead of with nothing. A second one ends
 * the process as it always would.
 */
export interface Interruptible {
  readonly signal: AbortSignal;
  interruption(): NodeJS.Signals | null;
  /** Ends early where a signal comes. */
  pause(ms: number): Promise<void>;
  close(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export function interruptible(): Interruptible {
  const aborted = new AbortController();
  let interruption: NodeJS.Signals | null = null;
  const close = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  function onSignal(signal: NodeJS.Signals): void {
    interruption = signal;
    close();
    aborted.abort();
  }
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    signal: aborted.signal,
    interruption: () => interruption,
    pause: (ms) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          aborted.signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        aborted.signal.addEventListener('abort', done);
        if (aborted.signal.aborted) done();
      }),
    close,
  };
}
