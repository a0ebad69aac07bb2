/**
 * Waits until every expected gateway has acknowledged, time is up, or the hold or lift was undone.
 * The goal is `goal.ts`, what is known after each answer `ack-snapshot.ts`, the messages `wait-text.ts`.
 */

import { type AckSnapshot, isComplete, isDeserted, snapshotTaker } from './ack-snapshot.ts';
import { askState } from './ask-state.ts';
import type { Goal } from './goal.ts';
import { interruptible } from './interruptible.ts';
import type { WatcherState } from './state.ts';

export interface WaitReport {
  readonly end:
    | 'acknowledged'
    /** No gateway is connected or expected, so waiting is useless. */
    | 'deserted'
    /** The state on disk is no longer what the verb made. */
    | 'undone'
    | 'time-up'
    | NodeJS.Signals;
  /** What was undone, as sentences. */
  readonly undone: readonly string[];
  /** From the last answer of the watcher; null: there was none. */
  readonly snapshot: AckSnapshot | null;
  /** The watcher run that gave it. */
  readonly epoch: string | null;
  /** Why the last request failed; null: it succeeded. */
  readonly unreached: string | null;
  readonly waitedMs: number;
  readonly timeoutMs: number;
}

export interface WaitOptions {
  readonly root: string;
  readonly goal: Goal;
  readonly timeoutMs: number;
  /** Errno: the profiles cannot be listed here. */
  readonly unlisted: string | null;
  /** Called each time the watcher becomes unreachable, and once more when it is found to be absent. */
  readonly unreached: (why: string, absent: boolean) => void;
  /** Called once, after a while, with the gateways that are still missing. */
  readonly stillWaiting: (snapshot: AckSnapshot) => void;
}

/** How long the watcher may wait: a change on disk that it does not see is noticed after this time. */
const MOST_WAIT_MS = 2_000;
/** How late its answer may be. A stopped watcher (SIGSTOP) accepts the connection and never answers. */
const MOST_ANSWER_MS = 3_000;
/** For the request that waits until the time is up. */
const LEAST_ANSWER_MS = 500;
/** Between two requests to a watcher that answers when the state changes. */
const LEAST_PAUSE_MS = 10;
/** Without a watcher, or while it cannot take one more client that waits. */
const POLL_MS = 250;
/** After this time, the missing gateways are printed. */
const SILENCE_MS = 1_000;

export async function awaitAcknowledged(options: WaitOptions): Promise<WaitReport> {
  const { root, goal, timeoutMs, unlisted } = options;
  const began = performance.now();
  const take = snapshotTaker(root, goal, unlisted);
  const waiting = interruptible();
  let state: WatcherState | null = null;
  let tag: string | null = null;
  let snapshot: AckSnapshot | null = null;
  let unreached: string | null = null;
  let isAbsent = false;
  /** The same watcher run since the first request, so gateways had no reason to reconnect. */
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
    for (;;) {
      const askedAt = performance.now();
      const leftMs = began + timeoutMs - askedAt;
      const untilReportMs = isReported ? leftMs : began + SILENCE_MS - askedAt;
      const waitMs = Math.max(0, Math.min(leftMs, untilReportMs, MOST_WAIT_MS));
      const asked = await askState(root, {
        signal: waiting.signal,
        timeoutMs: Math.max(LEAST_ANSWER_MS, Math.min(leftMs - waitMs, MOST_ANSWER_MS)),
        wait: { ms: waitMs, profiles: goal.meansAll ? [] : (snapshot?.profiles ?? []) },
        ...(tag === null ? {} : { tag }),
      });
      const interruption = waiting.interruption();
      if (interruption !== null) return report(interruption);
      // Read after the answer, so that an answer about a hold that has ended since is not trusted.
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
        // When a watcher is killed, first the connection breaks, and only the next request finds it absent.
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
      const leastMs = asked.reached && asked.waits ? LEAST_PAUSE_MS : POLL_MS;
      await waiting.pause(Math.min(restMs, Math.max(0, leastMs - (now - askedAt))));
      const interrupted = waiting.interruption();
      if (interrupted !== null) return report(interrupted);
    }
  } finally {
    waiting.close();
  }
}

/** A hold that has ended is missing from new answers: who had acknowledged it is in the answer before. */
const asItStood = (before: AckSnapshot | null, after: AckSnapshot): AckSnapshot | null =>
  after.unshown.length > (before?.unshown.length ?? 0) ? before : after;
