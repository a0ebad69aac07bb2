/**
 * Reads one stream of a watcher until it ends, or is silent for longer than its heartbeat allows.
 * Coming back to it is `follow.ts`.
 */
import type { IncomingMessage } from 'node:http';
import { type Message, parseMessage } from './event-message.ts';

export interface ReceivedMessage {
  readonly message: Message;
  /** What a reader that comes back names, where the message has it. */
  readonly id: string | undefined;
}

export type StreamEnd = 'ended' | 'silent' | 'too-long';

/** A stream that has not said how often its heart beats; the watcher's own is three seconds. */
export const HEARTBEAT_MS = 3_000;
/** So many may be missed: a busy machine is late with one. */
const MISSED = 3;
/** Characters of one message: the state of ten thousand profiles is a third of it. */
const MAX_MESSAGE = 64 * 1024 * 1024;

export const silenceMs = (heartbeatMs: number): number => MISSED * heartbeatMs;

/** Ends with the response, whoever destroys it. `hear` is not called after that. */
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
      // Whoever was stopped itself may not have read yet what was said meanwhile.
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
      // After it was heard, which may have taken long: whoever reads us may be slow.
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
