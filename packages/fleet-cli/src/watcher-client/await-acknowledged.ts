/**
 * Waits until every gateway that is expected has acknowledged, or time is up, or it is no longer so.
 * What is waited for is the goal's; what is known of it, `picture.ts`; how it is said, `watcher-client/wait-text.ts`.
 */

import { type AckSnapshot, isComplete, isDeserted, snapshots } from './ack-snapshot.ts';
import type { Goal } from './goal.ts';
import { interruptible } from './interruptible.ts';
import { askState, type WatcherState } from './state.ts';

export interface WaitReport {
  readonly end:
    | 'acknowledged'
    /** Nobody is connected, nobody is expected, and so nothing would change. */
    | 'deserted'
    /** The disk no longer says what was asked for. */
    | 'undone'
    | 'time-up'
    | NodeJS.Signals;
  /** What is no longer so, in sentences. */
  readonly undone: readonly string[];
  /** As the watcher told it last; null: no watcher could be asked. */
  readonly snapshot: AckSnapshot | null;
  /** The run of the watcher that told it. */
  readonly epoch: string | null;
  /** Why the last question had no answer; null: it had. */
  readonly unreached: string | null;
  readonly waitedMs: number;
  readonly timeoutMs: number;
}

export interface WaitOptions {
  readonly root: string;
  readonly goal: Goal;
  readonly timeoutMs: number;
  /** Errno: which profiles there are cannot be read here. */
  readonly unlisted: string | null;
  /** Says at once that nobody can be asked; again each time when that begins, and when it is gone at last. */
  readonly unreached: (why: string, absent: boolean) => void;
  /** Says once, after a while, for whom it waits. */
  readonly stillWaiting: (snapshot: AckSnapshot) => void;
}

// Asked again and again, and not told by its stream of events: the number of a profile's state is in
// the document alone, so each event would only be a reason to ask. A question whose answer is the old
// one costs the watcher a few lines (`If-None-Match`); what has changed is a document of a few
// hundred kilobytes at a thousand gateways, so the pauses grow, and are never shorter than the
// answer took: most who acknowledge have done so within the first three.
const FIRST_PAUSE_MS = 10;
const MOST_PAUSE_MS = 250;
const PAUSE_GROWTH = 1.6;
/** A watcher that is stopped takes the question and says nothing. */
const MOST_ASK_MS = 5_000;
/** For the last question, which is asked when the time is up. */
const LEAST_ASK_MS = 250;
/** After this, whoever looks on wants to know for whom. */
const SILENCE_MS = 1_000;

export async function awaitAcknowledged(options: WaitOptions): Promise<WaitReport> {
  const { root, goal, timeoutMs, unlisted } = options;
  const began = performance.now();
  const take = snapshots(root, goal, unlisted);
  const waiting = interruptible();
  let state: WatcherState | null = null;
  let tag: string | null = null;
  let snapshot: AckSnapshot | null = null;
  let unreached: string | null = null;
  let isAbsent = false;
  /** One watcher, from the first question on: gateways have had no reason to connect anew. */
  let isSteady = true;
  let isReported = false;

  const report = (end: WaitReport['end'], undone: readonly string[] = []): WaitReport => ({
    end,
    undone,
    snapshot,
    epoch: state?.epoch ?? null,
    unreached,
    waitedMs: performance.now() - began,
    timeoutMs,
  });

  try {
    for (
      let pauseMs = FIRST_PAUSE_MS;
      ;
      pauseMs = Math.min(pauseMs * PAUSE_GROWTH, MOST_PAUSE_MS)
    ) {
      const askedAt = performance.now();
      const leftMs = began + timeoutMs - askedAt;
      const asked = await askState(root, {
        signal: waiting.signal,
        timeoutMs: Math.max(LEAST_ASK_MS, Math.min(leftMs, MOST_ASK_MS)),
        ...(tag === null ? {} : { tag }),
      });
      const interruption = waiting.interruption();
      if (interruption !== null) return report(interruption);
      // Read after the answer was made: what it says is then not of a hold that has gone since.
      const undone = goal.look();
      if (asked.reached) {
        isSteady &&= state === null || asked.state === null || asked.state.epoch === state.epoch;
        state = asked.state ?? state;
        tag = asked.tag;
        unreached = null;
        if (state !== null) {
          const current = await take(state);
          snapshot = undone.length === 0 ? current : asItStood(snapshot, current);
        }
      } else {
        // A killed one breaks off first, and only the next question finds nobody.
        if (unreached === null || (asked.absent && !isAbsent)) {
          options.unreached(asked.why, asked.absent);
        }
        isAbsent = asked.absent;
        isSteady = false;
        tag = null;
        unreached = asked.why;
      }
      if (undone.length > 0) return report('undone', undone);
      if (unreached === null && snapshot !== null) {
        if (isComplete(snapshot)) return report('acknowledged');
        if (isSteady && isDeserted(snapshot)) return report('deserted');
      }
      const now = performance.now();
      const restMs = began + timeoutMs - now;
      if (restMs <= 0) return report('time-up');
      if (!isReported && snapshot !== null && now - began >= SILENCE_MS) {
        isReported = true;
        options.stillWaiting(snapshot);
      }
      await waiting.pause(Math.min(restMs, Math.max(pauseMs, now - askedAt)));
      const interrupted = waiting.interruption();
      if (interrupted !== null) return report(interrupted);
    }
  } finally {
    waiting.close();
  }
}

/** What has ended is shown no more: who had acknowledged it is in what was told before. */
const asItStood = (before: AckSnapshot | null, after: AckSnapshot): AckSnapshot | null =>
  after.unshown.length > (before?.unshown.length ?? 0) ? before : after;
