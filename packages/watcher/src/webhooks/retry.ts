/**
 * Delivers one event with retries: exponential backoff with jitter and the receiver's
 * `Retry-After`, all within bounds.
 * One attempt is `post.ts`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pRetry from 'p-retry';
import type { DeliveryResult } from './post.ts';

type DeliveryFailure = Extract<DeliveryResult, { readonly accepted: false }>;

export interface RetryPolicy {
  readonly retries: number;
  /** The first wait is between this and twice this; every later one is twice as long. */
  readonly firstWaitMs: number;
  /** Also limits the receiver's `Retry-After`. */
  readonly longestWaitMs: number;
  /** No attempt begins after this time. */
  readonly totalMs: number;
}

/**
 * Long enough for a receiver to restart; a receiver that is away for longer must not hold up the
 * queue.
 */
export const RETRY_POLICY: RetryPolicy = {
  retries: 10,
  firstWaitMs: 1_000,
  longestWaitMs: 120_000,
  totalMs: 600_000,
};

export interface RetryOptions {
  readonly policy: RetryPolicy;
  /** Aborts the waiting. */
  readonly signal: AbortSignal;
  /** Called after each failed attempt; null: it was the last. */
  readonly failed: (failure: DeliveryFailure, nextInMs: number | null) => void;
}

/** `aborted`: it is not known whether the receiver accepted it. */
export async function deliverWithRetries(
  attempt: () => Promise<DeliveryResult>,
  { policy, signal, failed }: RetryOptions,
): Promise<'accepted' | 'given-up' | 'aborted'> {
  const { retries, firstWaitMs, longestWaitMs, totalMs } = policy;
  // Computed once per event, so that the next wait can be reported.
  const minTimeout = Math.round(firstWaitMs * (1 + Math.random()));
  const untilMs = performance.now() + totalMs;
  try {
    await pRetry(
      async () => {
        const answer = await attempt();
        if (!answer.accepted) throw new NotAccepted(answer);
      },
      {
        retries,
        factor: 2,
        minTimeout,
        maxTimeout: longestWaitMs,
        maxRetryTime: totalMs,
        signal,
        shouldRetry: ({ error }) => error instanceof NotAccepted && !error.failure.isFinal,
        async onFailedAttempt({ error, retriesConsumed, retriesLeft }) {
          if (!(error instanceof NotAccepted) || signal.aborted) return;
          const { failure } = error;
          const waitMs = Math.min(minTimeout * 2 ** retriesConsumed, longestWaitMs);
          const askedMs = Math.min(failure.retryAfterMs ?? 0, longestWaitMs);
          const nextInMs = Math.max(waitMs, askedMs);
          const isLast = retriesLeft <= 0 || performance.now() + nextInMs >= untilMs;
          if (isLast || failure.isFinal) {
            failed(failure, null);
            throw error;
          }
          failed(failure, nextInMs);
          // p-retry itself waits `waitMs` after this, so wait only for what the receiver asked beyond it.
          if (askedMs > waitMs) await delay(askedMs - waitMs, undefined, { signal });
        },
      },
    );
    return 'accepted';
  } catch (error) {
    if (signal.aborted) return 'aborted';
    if (error instanceof NotAccepted) return 'given-up';
    throw error;
  }
}

class NotAccepted extends Error {
  override readonly name = 'NotAccepted';
  readonly failure: DeliveryFailure;

  constructor(failure: DeliveryFailure) {
    super(failure.why);
    this.failure = failure;
  }
}
