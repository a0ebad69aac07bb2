/**
 * Reads one event stream of a watcher until it ends, or is silent for longer than its heartbeat allows.
 * Reconnecting is `follow-events.ts`.
 */
import type { IncomingMessage } from 'node:http';
import { type Message, parseMessage } from './event-message.ts';

export interface ReceivedMessage {
  readonly message: Message;
  /** The event id from which a reconnecting reader resumes, if the message has one. */
  readonly id: string | undefined;
}

export type StreamEnd = 'ended' | 'silent' | 'too-long';

/** The heartbeat to expect before the stream announces its own; the watcher's default. */
export const HEARTBEAT_MS = 3_000;
/** How many heartbeats may be missed, because a busy machine is sometimes late. */
const MISSED = 3;
/** Characters of one message. The state of ten thousand profiles is a third of this. */
const MAX_MESSAGE = 64 * 1024 * 1024;

export const silenceMs = (heartbeatMs: number): number => MISSED * heartbeatMs;

/** Resolves when the response ends or is destroyed. `onMessage` is not called after that. */
export async function readStream(
  response: IncomingMessage,
  onMessage: (heard: ReceivedMessage) => void,
): Promise<StreamEnd> {
  const { createParser } = await import('eventsource-parser');
  return new Promise((resolve) => {
    let end: StreamEnd = 'ended';
    let patienceMs = silenceMs(HEARTBEAT_MS);
    let receivedMs = performance.now();
    let dueMs = 0;
    let timer: NodeJS.Timeout | undefined;
    let ended = false;

    const endBy = (why: StreamEnd): void => {
      end = why;
      response.destroy();
    };
    const watchFor = (delayMs: number): void => {
      clearTimeout(timer);
      dueMs = performance.now() + delayMs;
      timer = setTimeout(watch, delayMs);
    };
    function watch(): void {
      const nowMs = performance.now();
      // If this process itself was stopped, it may not have read yet what the watcher sent meanwhile.
      if (nowMs - dueMs > patienceMs / 2) receivedMs = nowMs;
      const leftMs = receivedMs + patienceMs - nowMs;
      if (leftMs <= 0) endBy('silent');
      else watchFor(leftMs);
    }
    const parser = createParser({
      maxBufferSize: MAX_MESSAGE,
      onError({ type }) {
        if (type === 'max-buffer-size-exceeded') endBy('too-long');
      },
      onEvent({ event, id, data }) {
        if (response.destroyed) return;
        const message = parseMessage(event, data);
        if (message.kind === 'heartbeat' && silenceMs(message.heartbeatMs) !== patienceMs) {
          patienceMs = silenceMs(message.heartbeatMs);
          watchFor(patienceMs);
        }
        onMessage({ message, id });
      },
    });

    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      if (!response.destroyed) parser.feed(part);
      // Set after the message was handled, which may take long if the reader of stdout is slow.
      receivedMs = performance.now();
    });
    const finish = (): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      resolve(end);
    };
    watchFor(patienceMs);
    response.once('end', finish);
    response.once('close', finish);
    // It may have ended before it was read.
    if (response.closed) finish();
  });
}
