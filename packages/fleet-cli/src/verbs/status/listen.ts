/**
 * Keeps the watcher's answer current for `status --watch`: asks again when an event comes or the disk
 * changes, and every few seconds, so that a watcher that stops or starts is noticed.
 * Events are only hints; their content is not used [9].
 * Combining an answer with the state on disk is `watcher-client/watched.ts`.
 */

import type { FleetFacts } from '../../fleet/read-fleet.ts';
import { askState } from '../../watcher-client/ask-state.ts';
import { followEvents } from '../../watcher-client/follow-events.ts';
import type { NotReached } from '../../watcher-client/request.ts';
import type { WatcherState } from '../../watcher-client/state.ts';
import { answerFrom, type WatcherAnswer } from '../../watcher-client/watched.ts';

export interface Listening {
  /** Resolves after the first request, whether it succeeded or not. */
  readonly begun: Promise<void>;
  /** The last answer, or why there is none. */
  readonly answer: () => WatcherAnswer | NotReached;
  /** When that answer was requested, by `performance.now()`. It says nothing about later changes. */
  readonly askedMs: () => number;
  /** To be called when the disk has changed, because the watcher's state will change too. */
  readonly askSoon: () => void;
  readonly close: () => void;
}

export interface ListenOptions {
  readonly root: string;
  /** The current state of the fleet on disk. */
  readonly fleet: () => FleetFacts;
  /** Called after each answer but the first, also without a change, because parts of it depend on the time. */
  readonly onAnswer: () => void;
  readonly failed: (error: unknown) => void;
}

/** The same as `status` without `--watch`, because nothing is shown before the first answer. */
const FIRST_PATIENCE_MS = 1_000;
/** Later requests may take longer: a busy host must not look like a stopped watcher. */
const PATIENCE_MS = 3_000;
/** How late it is noticed, at most, that the watcher started or stopped. */
const SWEEP_MS = 5_000;
/** A minimum pause, because a thousand acknowledgements are a thousand events. */
const LEAST_PAUSE_MS = 100;
/** The pause is this many times as long as the last request and its handling took, up to the maximum. */
const PAUSE_GROWTH = 3;
const MOST_PAUSE_MS = 1_000;

export function listen({ root, fleet, onAnswer, failed }: ListenOptions): Listening {
  const closing = new AbortController();
  const { signal } = closing;
  let last: WatcherAnswer | NotReached = { reached: false, why: 'it was not asked', absent: false };
  let lastAskedMs = 0;
  let state: WatcherState | null = null;
  let tag: string | null = null;
  let isAsking = false;
  let isWanted = false;
  let notBefore = 0;
  let timer: NodeJS.Timeout | undefined;

  const ask = async (timeoutMs: number): Promise<void> => {
    const askedMs = performance.now();
    const asked = await askState(root, { signal, timeoutMs, ...(tag === null ? {} : { tag }) });
    if (!asked.reached) {
      tag = null;
      last = asked;
      lastAskedMs = askedMs;
      return;
    }
    state = asked.state ?? state;
    tag = asked.tag;
    // A tag is sent only after an answer with a state, so there is one.
    if (state === null) return;
    last = await answerFrom(state, fleet());
    lastAskedMs = askedMs;
  };

  const askNow = async (): Promise<void> => {
    isAsking = true;
    isWanted = false;
    const began = performance.now();
    await ask(PATIENCE_MS);
    if (signal.aborted) return;
    onAnswer();
    if (signal.aborted) return;
    isAsking = false;
    const now = performance.now();
    const tookMs = (now - began) * PAUSE_GROWTH;
    const pauseMs = Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, tookMs));
    notBefore = now + pauseMs;
    askIn(isWanted ? pauseMs : SWEEP_MS);
  };
  const askIn = (delayMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void askNow().catch(failed), delayMs);
  };
  const askSoon = (): void => {
    if (signal.aborted || isWanted) return;
    isWanted = true;
    if (!isAsking) askIn(Math.max(0, notBefore - performance.now()));
  };

  const begin = async (): Promise<void> => {
    isAsking = true;
    await ask(FIRST_PATIENCE_MS);
    isAsking = false;
    if (signal.aborted) return;
    askIn(isWanted ? 0 : SWEEP_MS);
    const following = followEvents(root, {
      after: null,
      recent: 0,
      waits: true,
      signal,
      onMessage: ({ kind }) => {
        // A heartbeat is a reason to ask only if the last request failed.
        if (kind !== 'heartbeat' || !last.reached) askSoon();
      },
      onDisconnect: askSoon,
      // The first message after that is a reason to ask.
      onReconnect: () => {},
    });
    // Without events, the watcher is still asked every few seconds.
    following.catch(failed);
  };

  return {
    begun: begin(),
    answer: () => last,
    askedMs: () => lastAskedMs,
    askSoon,
    close() {
      closing.abort();
      clearTimeout(timer);
    },
  };
}
