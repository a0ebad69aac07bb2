/**
 * Streams of events over HTTP: how many there may be, and how long one may keep us waiting.
 * What they say is `feed.ts`.
 */
import type { HttpBindings } from '@hono/node-server';
import type { Handler } from 'hono';
import { streamSSE } from 'hono/streaming';
import { refusal, refuse } from './answers.ts';
import type { Feed } from './feed.ts';

export interface StreamLimits {
  /**
   * At a time, by this listener. Not by address: on loopback it is always the same one, and whoever
   * fills this one up must not lock out the operator, who has the unix socket with its own places.
   */
  readonly most: number;
  /** A reader that does not take what was written in this time is let go. */
  readonly patienceMs: number;
}

export interface Streams {
  readonly handler: Handler<{ Bindings: HttpBindings }>;
  /** Streams of readers that did not read, ended by us. */
  readonly dropped: () => number;
  readonly refused: () => number;
}

const MAX_RECENT = 200;

export function streams(feed: Feed, limits: StreamLimits): Streams {
  let total = 0;
  let dropped = 0;
  let refused = 0;

  const handler: Handler<{ Bindings: HttpBindings }> = (c) => {
    const recent = recentOf(c.req.query('recent'));
    if (recent === null) {
      const hint = `ask for 0 to ${MAX_RECENT} events`;
      return refuse(c, refusal(400, 'value-invalid', '`recent` is no such number', hint));
    }
    if (total >= limits.most) {
      refused += 1;
      c.header('Retry-After', '5');
      const message = `${total} streams are open, and no more are let in`;
      const hint = 'close some; the unix socket has places of its own';
      return refuse(c, refusal(503, 'too-many-streams', message, hint));
    }
    // Buffering anywhere on the way would make a live stream look dead.
    c.header('X-Accel-Buffering', 'no');
    if (c.req.method === 'HEAD') {
      c.header('Content-Type', 'text/event-stream');
      c.header('Cache-Control', STREAM_CACHE);
      return c.body(null);
    }
    total += 1;
    const reader = feed.open(
      c.req.header('last-event-id') ?? c.req.query('last_event_id') ?? null,
      {
        recent,
      },
    );
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      reader.close();
      total -= 1;
    };
    const { outgoing } = c.env;
    // The connection is what ends for certain; an abort is only noticed while somebody writes.
    const closed = new Promise<void>((resolve) => outgoing.once('close', resolve));
    void closed.then(leave);
    const response = streamSSE(c, async (stream) => {
      stream.onAbort(leave);
      try {
        for (;;) {
          const text = await reader.next();
          if (text === null || stream.aborted) return;
          const late = setTimeout(() => {
            dropped += 1;
            outgoing.destroy();
          }, limits.patienceMs);
          await Promise.race([stream.write(text), closed]);
          clearTimeout(late);
        }
      } finally {
        leave();
      }
    });
    response.headers.set('Cache-Control', STREAM_CACHE);
    return response;
  };
  return { handler, dropped: () => dropped, refused: () => refused };
}

const STREAM_CACHE = 'no-store, no-transform';

function recentOf(text: string | undefined): number | null {
  if (text === undefined) return 0;
  const number = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return number <= MAX_RECENT ? number : null;
}
