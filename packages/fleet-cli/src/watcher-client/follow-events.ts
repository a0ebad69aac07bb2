/**
 * Follows the events of a watcher: reconnects when the watcher goes away or falls silent, and resumes after
 * the last event received. The watcher reports missing events as a gap.
 * What is done with the events is up to the caller.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Message, type Position, parsePosition } from './event-message.ts';
import {
  HEARTBEAT_MS,
  type ReceivedMessage,
  readStream,
  type StreamEnd,
  silenceMs,
} from './event-stream.ts';
import { requestWatcher } from './request.ts';

export interface FollowOptions {
  /** The id of the last event that was seen; null: start now. */
  readonly after: string | null;
  /** How many earlier events to receive first. */
  readonly recent: number;
  /** false: end if no watcher answers. */
  readonly waits: boolean;
  readonly signal: AbortSignal;
  readonly onMessage: (message: Message, id: string | undefined) => void;
  /** Called once each time the watcher is lost, before waiting for it. */
  readonly onDisconnect: (why: string) => void;
  /** Called when messages arrive after that; `again`: there were messages before. */
  readonly onReconnect: (again: boolean) => void;
}

/** Why following ended. */
export type FollowEnd =
  | { readonly end: 'asked' }
  | { readonly end: 'no-watcher'; readonly why: string }
  /** The server there has no events, and asking again would not change that. */
  | { readonly end: 'refused'; readonly why: string };

/** The first and the longest delay before a retry; each delay is twice the one before. */
const FIRST_WAIT_MS = 100;
const MOST_WAIT_MS = 2_000;
/** A stream that lasted this long does not count as a failed attempt. */
const STEADY_MS = 1_000;

const END_WORDS: Readonly<Record<Exclude<StreamEnd, 'ended'>, string>> = {
  silent: 'the watcher is silent',
  'too-long': 'the watcher sent a message that is too long to read',
};

export async function followEvents(root: string, options: FollowOptions): Promise<FollowEnd> {
  const { recent, waits, signal, onMessage, onDisconnect, onReconnect } = options;
  let last = options.after === null ? null : parsePosition(options.after);
  let hasReceived = false;
  let isAway = false;
  let failures = 0;

  const disconnected = (why: string): void => {
    if (!isAway) onDisconnect(why);
    isAway = true;
  };
  const receive = ({ message, id }: ReceivedMessage): void => {
    if (signal.aborted) return;
    if (isAway) onReconnect(hasReceived);
    isAway = false;
    hasReceived = true;
    last = further(last, id);
    onMessage(message, id);
  };

  for (;;) {
    const asked = await requestWatcher(root, pathFor(last, recent), {
      signal,
      timeoutMs: silenceMs(HEARTBEAT_MS),
      headers: headersFor(last),
    });
    if (signal.aborted) return { end: 'asked' };
    if (!asked.reached) {
      if (!waits) return { end: 'no-watcher', why: asked.why };
      // A stopped watcher does not answer either, but it is not gone.
      const isGone = hasReceived && asked.absent;
      disconnected(isGone ? 'the watcher is gone' : `no watcher answers: ${asked.why}`);
    } else if (asked.status !== 200 || !isStream(asked.response.headers['content-type'])) {
      const { status, response } = asked;
      response.destroy();
      if (status < 500) {
        return { end: 'refused', why: `it answers with status ${status} instead of events` };
      }
      disconnected(`the watcher accepts no more streams now (status ${status})`);
    } else {
      const openedMs = performance.now();
      const end = await readStream(asked.response, receive);
      if (signal.aborted) return { end: 'asked' };
      // A stream can end for many reasons. Whether the watcher is gone is known after the next attempt.
      if (end !== 'ended') disconnected(END_WORDS[end]);
      if (performance.now() - openedMs > STEADY_MS) {
        failures = 0;
        continue;
      }
    }
    await delay(waitMs(failures), undefined, { signal }).catch(() => {});
    if (signal.aborted) return { end: 'asked' };
    failures += 1;
  }
}

/** With jitter, so that waiting clients do not reconnect at the same moment. */
function waitMs(failures: number): number {
  const boundMs = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 16));
  return boundMs * (0.5 + Math.random() / 2);
}

/** Recent events are requested only before any event was received. */
const pathFor = (last: Position | null, recent: number): string =>
  last === null && recent > 0 ? `/v1/events?recent=${recent}` : '/v1/events';

const headersFor = (last: Position | null): Record<string, string> => ({
  accept: 'text/event-stream',
  ...(last === null ? {} : { 'last-event-id': `${last.epoch}-${last.revision}` }),
});

/** Recent events are sent after the snapshot, with lower revisions; they must not move the position back. */
function further(last: Position | null, id: string | undefined): Position | null {
  const next = id === undefined ? null : parsePosition(id);
  if (next === null) return last;
  return last?.epoch === next.epoch && last.revision > next.revision ? last : next;
}

const isStream = (type: string | undefined): boolean =>
  type !== undefined && /^text\/event-stream\s*(;|$)/i.test(type);
