/**
 * Waits until nothing is in hand: after each end of own work, and every second for work of others.
 * What is in hand is counted by the register.
 */

/** Milliseconds between two counts: work of gone owners is judged at the register's heartbeats. */
const ASK_EVERY_MS = 1_000;

export interface IdleWaits {
  /** Calls `done` once `left` returns 0, also at once. Returns a function that gives up. */
  wait(left: () => number, done: () => void): () => void;
  /** Work has ended. */
  ask(): void;
  close(): void;
}

export function idleWaits({ keepAlive }: { readonly keepAlive: boolean }): IdleWaits {
  const waits = new Set<{ readonly left: () => number; readonly done: () => void }>();
  let timer: NodeJS.Timeout | undefined;

  const ask = (): void => {
    for (const one of [...waits]) {
      if (!waits.has(one) || one.left() > 0) continue;
      waits.delete(one);
      one.done();
    }
    if (waits.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    wait(left, done) {
      const one = { left, done };
      waits.add(one);
      timer ??= setInterval(ask, ASK_EVERY_MS);
      if (!keepAlive) timer.unref();
      ask();
      return () => {
        waits.delete(one);
        ask();
      };
    },
    ask,
    close() {
      waits.clear();
      ask();
    },
  };
}
