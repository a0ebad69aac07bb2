/**
 * Lets a signal end a wait, so that the verb can still report what is known. A second signal ends the process
 * as usual.
 */
export interface Interruptible {
  readonly signal: AbortSignal;
  interruption(): NodeJS.Signals | null;
  /** Ends early if a signal comes. */
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
