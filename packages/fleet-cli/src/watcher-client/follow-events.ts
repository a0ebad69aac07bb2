/**
 * Follows the events of a fleet's watcher: connects again when it goes away or falls silent, and goes
 * on after what was heard last. Events that are missing are said by the watcher, as a gap.
 * What is done with what is heard is the caller's.
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
  /** The id of the event that was seen last; null: from now on. */
  readonly after: string | null;
  /** How many events from before are told as well. */
  readonly recent: number;
  /** false: it ends where no watcher answers. */
  readonly waits: boolean;
  readonly signal: AbortSignal;
  readonly onMessage: (message: Message, id: string | undefined) => void;
  /** Once for each absence, before it is waited for. */
  readonly onDisconnect: (why: string) => void;
  /** After an absence it is heard, `again` or for the first time. */
  readonly onReconnect: (again: boolean) => void;
}

/** Why following ended. */
export type FollowEnd =
  | { readonly end: 'asked' }
  | { readonly end: 'no-watcher'; readonly why: string }
  /** What answers there serves no events, and asking again would not change that. */
  | { readonly end: 'refused'; readonly why: string };

/** The first wait before it is tried again, and the longest; each twice the one before. */
const FIRST_WAIT_MS = 100;
const MOST_WAIT_MS = 2_000;
/** A stream that stood for so long was no failed attempt. */
const STEADY_MS = 1_000;

const END_WORDS: Readonly<Record<Exclude<StreamEnd, 'ended'>, string>> = {
  silent: 'the watcher is silent',
  'too-long': 'the watcher says more at once than can be read',
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
      // One that is stopped does not answer either, and is not gone.
      const isGone = hasReceived && asked.absent;
      disconnected(isGone ? 'the watcher is gone' : `no watcher answers: ${asked.why}`);
    } else if (asked.status !== 200 || !isStream(asked.response.headers['content-type'])) {
      const { status, response } = asked;
      response.destroy();
      if (status < 500) {
        return { end: 'refused', why: `it answers with status ${status}, and no events` };
      }
      disconnected(`the watcher lets nobody in now (status ${status})`);
    } else {
      const openedMs = performance.now();
      const end = await readStream(asked.response, receive);
      if (signal.aborted) return { end: 'asked' };
      // That it ended may have many reasons: whether the watcher is gone, the next attempt tells.
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

/** Not the same for all who wait for it. */
function waitMs(failures: number): number {
  const boundMs = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 16));
  return boundMs * (0.5 + Math.random() / 2);
}

/** The recent ones are for whoever has seen nothing yet. */
const pathFor = (last: Position | null, recent: number): string =>
  last === null && recent > 0 ? `/v1/events?recent=${recent}` : '/v1/events';

const headersFor = (last: Position | null): Record<string, string> => ({
  accept: 'text/event-stream',
  ...(last === null ? {} : { 'last-event-id': `${last.epoch}-${last.revision}` }),
});

/** Events from before the snapshot come after it: they are no step back. */
function further(last: Position | null, id: string | undefined): Position | null {
  const next = id === undefined ? null : parsePosition(id);
  if (next === null) return last;
  return last?.epoch === next.epoch && last.revision > next.revision ? last : next;
}

const isStream = (type: string | undefined): boolean =>
  type !== undefined && /^text\/event-stream\s*(;|$)/i.test(type);
