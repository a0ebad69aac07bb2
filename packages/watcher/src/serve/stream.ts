/**
 * Streams of events over HTTP: one reader of the feed to each, and how long one may keep us waiting.
 * What they say is `feed.ts`; how many there may be is `stream-admission.ts`.
 */
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Handler } from 'hono';
import { streamSSE } from 'hono/streaming';
import { type HttpError, httpError, sendError } from './answers.ts';
import type { Client, WhoAsks } from './client.ts';
import type { Feed } from './feed.ts';
import type { LimitReached, StreamAdmission } from './stream-admission.ts';

export interface StreamOptions {
  readonly feed: Feed;
  readonly admission: StreamAdmission;
  readonly whoAsks: WhoAsks;
  /** A reader that does not take what was written in this time is let go. */
  readonly writeTimeoutMs: number;
}

export interface Streams {
  readonly handler: Handler<{ Bindings: HttpBindings }>;
  /** Streams of readers that did not read, ended by us. */
  readonly dropped: () => number;
}

const MAX_RECENT = 200;

export function streams({ feed, admission, whoAsks, writeTimeoutMs }: StreamOptions): Streams {
  /** Connections that carry a stream. What is asked behind one would wait for its end in a place. */
  const streaming = new WeakSet<Socket>();
  let dropped = 0;

  const handler: Handler<{ Bindings: HttpBindings }> = (c) => {
    const recent = recentOf(c.req.query('recent'));
    if (recent === null) {
      const hint = `ask for 0 to ${MAX_RECENT} events`;
      return sendError(c, httpError(400, 'value-invalid', '`recent` is no such number', hint));
    }
    // Buffering anywhere on the way would make a live stream look dead.
    c.header('X-Accel-Buffering', 'no');
    if (c.req.method === 'HEAD') {
      c.header('Content-Type', 'text/event-stream');
      c.header('Cache-Control', STREAM_CACHE);
      return c.body(null);
    }
    const { incoming, outgoing } = c.env;
    const { socket } = incoming;
    if (streaming.has(socket)) {
      const hint = 'ask for each stream on a connection of its own';
      return sendError(
        c,
        httpError(400, 'stream-behind-stream', 'this connection has a stream', hint),
      );
    }
    let isWriting = false;
    const client = whoAsks(c);
    const slot = admission.admit(client, () => {
      reader.close();
      // What it does not take now would keep its connection beside the one that has its place.
      if (isWriting) socket.destroy();
    });
    if ('cap' in slot) {
      c.header('Retry-After', `${Math.max(1, Math.ceil(slot.retryAfterMs / 1_000))}`);
      return sendError(c, tooManyStreams(client, slot));
    }
    streaming.add(socket);
    const seen = c.req.header('last-event-id') ?? c.req.query('last_event_id') ?? null;
    const reader = feed.open(seen, { recent });
    const leave = () => {
      reader.close();
      slot.release();
      streaming.delete(socket);
    };
    // The connection is what ends for certain; an abort is only noticed while somebody writes, and
    // an answer that waits behind another one is never told.
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
          // By no race with the end of the connection: a promise that is pending for weeks keeps
          // something of each race that it was in.
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

function tooManyStreams({ name }: Client, { cap, most }: LimitReached): HttpError {
  const whose = {
    client: `of \`${name}\``,
    named: 'of clients that a proxy names',
    unnamed: 'of clients that no proxy names',
    token: 'of who has the token',
    socket: 'on the unix socket',
  }[cap];
  const message = `${most} streams ${whose} are open, and each has only just begun`;
  const elsewhere = {
    client: 'send the token, which has places of its own',
    named: 'send the token, which has places of its own',
    unnamed: 'send the token, which has places of its own',
    token: 'use the unix socket, which has places of its own',
    socket: 'ask over TCP, which has places of its own',
  }[cap];
  const hint = `close some, come again after the time in \`Retry-After\`, or ${elsewhere}`;
  return httpError(503, 'too-many-streams', message, hint);
}

const STREAM_CACHE = 'no-store, no-transform';

function recentOf(text: string | undefined): number | null {
  if (text === undefined) return 0;
  const number = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return number <= MAX_RECENT ? number : null;
}
