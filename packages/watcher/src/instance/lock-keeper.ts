/**
 * Looks after a seat while its owner works: it may be lost to somebody while we were stopped, or
 * vanish with the root.
 */
import type { InstanceLock, LockAttempt } from './instance-lock.ts';

export type LockUnavailable = Extract<LockAttempt, { acquired: false }>;

export interface LockKeeper {
  /** Resolves when another process has the seat. */
  readonly lockLost: Promise<LockUnavailable>;
  open(): void;
  /** At every sweep. */
  check(): Promise<void>;
  /** Why nobody finds us right now; null: they do. */
  missing(): string | null;
  leave(): void;
}

/** `vanished` is told once for each reason why the seat cannot be taken again. */
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
        : `${missing}, and it cannot be made: ${reportedWhy}`;
    },
    leave() {
      left = true;
      instanceLock.leave();
    },
  };
}
