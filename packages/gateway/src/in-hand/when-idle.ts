/**
 * The promise of `gate.onIdle`.
 * When to count again is `idle.ts`.
 */
import { FleetError } from '@fleet-estop/sentinel-core';
import type { IdleWaits } from './idle.ts';

export type Idle =
  | { readonly idle: true }
  /** Pieces of work that are still in hand. */
  | { readonly idle: false; readonly left: number };

/** The longest time that a timer of Node can wait. */
const MAX_TIMEOUT_MS = 2_147_483_647;

export interface WhenIdle {
  readonly gates: readonly { readonly inFlight: () => number }[];
  readonly timeoutMs: number | undefined;
  readonly idle: IdleWaits;
  /** Functions that end the waits: `close` calls them. */
  readonly closers: Set<() => void>;
  readonly isClosed: boolean;
}

/** Throws VALUE_INVALID. */
export function whenIdle({ gates, timeoutMs, idle, closers, isClosed }: WhenIdle): Promise<Idle> {
  if (timeoutMs !== undefined && !isTime(timeoutMs)) {
    throw new FleetError('VALUE_INVALID', `\`${timeoutMs}\` is not a time to wait`, {
      hint: `give whole milliseconds from 0 to ${MAX_TIMEOUT_MS}`,
    });
  }
  const left = (): number => gates.reduce((sum, gate) => sum + gate.inFlight(), 0);
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let stop = (): void => {};
    const finish = (): void => {
      clearTimeout(timer);
      closers.delete(finish);
      stop();
      const count = left();
      resolve(count === 0 ? { idle: true } : { idle: false, left: count });
    };
    if (isClosed || timeoutMs === 0) return finish();
    closers.add(finish);
    if (timeoutMs !== undefined) timer = setTimeout(finish, timeoutMs);
    stop = idle.wait(left, finish);
    // It may have been idle at once.
    if (!closers.has(finish)) stop();
  });
}

const isTime = (ms: number): boolean => Number.isSafeInteger(ms) && ms >= 0 && ms <= MAX_TIMEOUT_MS;
