/**
 * Keeps the instance lock while the watcher runs. Another process may take it while we are stopped,
 * and it may vanish with the root.
 * How the lock is taken is in `instance-lock.ts`.
 */
import type { InstanceLock, LockAttempt } from './instance-lock.ts';

export type LockUnavailable = Extract<LockAttempt, { acquired: false }>;

export interface LockKeeper {
  /** Resolves when another process owns the lock. */
  readonly lockLost: Promise<LockUnavailable>;
  open(): void;
  /** Called at every sweep. */
  check(): Promise<void>;
  /** Why nobody can find this watcher right now; null: they can. */
  missing(): string | null;
  leave(): void;
}

/** `cannotRetake` is called once for each reason why the lock cannot be taken again. */
export function lockKeeper(first: InstanceLock, cannotRetake: (why: string) => void): LockKeeper {
  let instanceLock = first;
  let left = false;
  let checking = false;
  let reportedWhy = '';
  let reportLost: (to: LockUnavailable) => void = () => {};
  const lockLost = new Promise<LockUnavailable>((resolve) => {
    reportLost = resolve;
  });

  return {
    lockLost,
    open: () => instanceLock.open(),
    async check() {
      if (checking || left) return;
      checking = true;
      const attempt = await instanceLock.keep();
      checking = false;
      if (attempt.acquired) {
        reportedWhy = '';
        instanceLock = attempt.instanceLock;
        // We left while it was being taken again.
        if (left) instanceLock.leave();
      } else if (attempt.owner !== null) {
        reportLost(attempt);
      } else if (reportedWhy !== attempt.why) {
        reportedWhy = attempt.why;
        cannotRetake(attempt.why);
      }
    },
    missing() {
      const missing = instanceLock.missing();
      return missing === null || reportedWhy === ''
        ? missing
        : `${missing}; it cannot be recreated: ${reportedWhy}`;
    },
    leave() {
      left = true;
      instanceLock.leave();
    },
  };
}
