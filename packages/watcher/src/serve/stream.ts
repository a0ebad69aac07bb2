/**
 * Event streams over HTTP: connects a reader of the feed to each, and drops connections that do not
 * read.
 * The content is `feed.ts`; the limits are `stream-admission.ts`.
 */
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Handler } from 'hono';
import { streamSSE } from 'hono/streaming';
import { type HttpError, httpError, sendError } from './answers.ts';
import type { Client, WhoAsks } from './client.ts';
import type { Feed } from './feed.ts';
import type { LimitReached, StreamAdmission } from './stream-admission.ts';

export interface StreamOptions {
  readonly feed: Feed;
  readonly admission: StreamAdmission;
  readonly whoAsks: WhoAsks;
  /** A reader that leaves a write unread for this long is dropped. */
  readonly writeTimeoutMs: number;
}

export interface Streams {
  readonly handler: Handler<{ Bindings: HttpBindings }>;
  /** Number of streams that we ended because their reader did not read. */
  readonly dropped: () => number;
}

const MAX_RECENT = 200;

export function streams({ feed, admission, whoAsks, writeTimeoutMs }: StreamOptions): Streams {
  /**
   * Connections that carry a stream. Another request on one would hold a slot while it waits for
   * the stream's end.
   */
  const streaming = new WeakSet<Socket>();
  let dropped = 0;

  const handler: Handler<{ Bindings: HttpBindings }> = (c) => {
    const recent = recentOf(c.req.query('recent'));
    if (recent === null) {
      const hint = `ask for 0 to ${MAX_RECENT} events`;
      return sendError(c, httpError(400, 'value-invalid', '`recent` is not valid', hint));
    }
    // Buffering by a proxy would make a live stream look dead.
    c.header('X-Accel-Buffering', 'no');
    if (c.req.method === 'HEAD') {
      c.header('Content-Type', 'text/event-stream');
      c.header('Cache-Control', STREAM_CACHE);
      return c.body(null);
    }
    const { incoming, outgoing } = c.env;
    const { socket } = incoming;
    if (streaming.has(socket)) {
      const hint = 'open each stream on its own connection';
      return sendError(
        c,
        httpError(400, 'stream-behind-stream', 'this connection already carries a stream', hint),
      );
    }
    let isWriting = false;
    const client = whoAsks(c);
    const slot = admission.admit(client, () => {
      reader.close();
      // An unread write would keep the evicted stream's connection open.
      if (isWriting) socket.destroy();
    });
    if ('cap' in slot) {
      return sendTooManyStreams(c, client, slot);
    }
    streaming.add(socket);
    const seen = c.req.header('last-event-id') ?? c.req.query('last_event_id') ?? null;
    const reader = feed.open(seen, { recent });
    const leave = () => {
      reader.close();
      slot.release();
      streaming.delete(socket);
    };
    // Only the connection's end is reported reliably: an abort is noticed only during a write, and
    // an answer queued behind another one is never reported.
    let written = () => {};
    const end = () => {
      leave();
      written();
    };
    outgoing.once('close', end);
    socket.once('close', end);
    const response = streamSSE(c, async (stream) => {
      stream.onAbort(leave);
      try {
        for (;;) {
          const text = await reader.next();
          if (text === null || stream.aborted) return;
          const late = setTimeout(() => {
            dropped += 1;
            socket.destroy();
          }, writeTimeoutMs);
          isWriting = true;
          // Not `Promise.race`: a promise that stays pending for weeks would keep memory of each
          // race.
          await new Promise<void>((resolve, reject) => {
            written = resolve;
            stream.write(text).then(() => resolve(), reject);
          });
          isWriting = false;
          clearTimeout(late);
        }
      } finally {
        leave();
        socket.off('close', end);
      }
    });
    response.headers.set('Cache-Control', STREAM_CACHE);
    return response;
  };
  return { handler, dropped: () => dropped };
}

export function sendTooManyStreams(c: Context, client: Client, limit: LimitReached): Response {
  c.header('Retry-After', `${Math.max(1, Math.ceil(limit.retryAfterMs / 1_000))}`);
  return sendError(c, tooManyStreams(client, limit));
}

function tooManyStreams({ name }: Client, { cap, most }: LimitReached): HttpError {
  const whose = {
    client: `of \`${name}\``,
    named: 'of named clients',
    unnamed: 'of unnamed clients',
    token: 'with the token',
    socket: 'on the unix socket',
  }[cap];
  const message = `${most} streams ${whose} are open, and none can be evicted yet`;
  const elsewhere = {
    client: 'send the token, which has its own limit',
    named: 'send the token, which has its own limit',
    unnamed: 'send the token, which has its own limit',
    token: 'use the unix socket, which has its own limit',
    socket: 'use TCP, which has its own limit',
  }[cap];
  const hint = `close some, retry after the time in \`Retry-After\`, or ${elsewhere}`;
  return httpError(503, 'too-many-streams', message, hint);
}

const STREAM_CACHE = 'no-store, no-transform';

function recentOf(text: string | undefined): number | null {
  if (text === undefined) return 0;
  const number = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return number <= MAX_RECENT ? number : null;
}
