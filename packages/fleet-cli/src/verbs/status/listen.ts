/**
 * Keeps what the watcher of a fleet says: asks it again when its events or the disk give a reason to,
 * and after a while in any case, so that one that stops or comes back is noticed without them.
 * No event is believed, or even looked at: it is a hint, and the answer is what counts [9].
 * What follows from an answer for some lanes is `watcher-client/watched.ts`.
 */

import type { FleetFacts } from '../../fleet/read-fleet.ts';
import { followEvents } from '../../watcher-client/follow-events.ts';
import type { NotReached } from '../../watcher-client/request.ts';
import { askState, type WatcherState } from '../../watcher-client/state.ts';
import { answerFrom, type WatcherAnswer } from '../../watcher-client/watched.ts';

export interface Listening {
  /** Resolves after the first answer, or that there is none. */
  readonly begun: Promise<void>;
  /** What it said last, or why it does not. */
  readonly answer: () => WatcherAnswer | NotReached;
  /** When that was asked, by `performance.now()`: of what changed later it says nothing. */
  readonly askedMs: () => number;
  /** The disk has changed, and so, soon, has what it says. */
  readonly askSoon: () => void;
  readonly close: () => void;
}

export interface ListenOptions {
  readonly root: string;
  /** The lanes, as the disk has them now. */
  readonly fleet: () => FleetFacts;
  /** After each answer but the first, also where it was the same: some of it depends on the time. */
  readonly onAnswer: () => void;
  readonly failed: (error: unknown) => void;
}

/** As long as `status` without `--watch`: nothing is shown before. */
const FIRST_PATIENCE_MS = 1_000;
/** Later it does not have to hurry: a busy machine is not one whose watcher is stopped. */
const PATIENCE_MS = 3_000;
/** Bounds how late it is seen that it was started, or does not answer any more. */
const SWEEP_MS = 5_000;
/** A thousand acknowledgements are a thousand events. */
const LEAST_PAUSE_MS = 100;
/** Where an answer, and what is done with it, take long: so many times as long, and no more. */
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
    // A tag is only asked with after an answer, so there is one.
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
        // One that did not answer a while ago may do so now.
        if (kind !== 'heartbeat' || !last.reached) askSoon();
      },
      onDisconnect: askSoon,
      // What it hears first is a reason of its own.
      onReconnect: () => {},
    });
    // Where it serves no events, it is asked all the same, only less often.
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
