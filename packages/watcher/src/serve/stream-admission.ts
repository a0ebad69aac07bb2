/**
 * Admission of event streams: how many each kind of client may have, who gets in when the limit is
 * reached, and which stream is evicted.
 * Clients are identified in `client.ts`, and streams are ended in `stream.ts`. It prevents that
 * forgotten tabs, or a script that leaks streams, keep the dashboard out: a browser's stream cannot
 * send a token. Why so: `docs/decisions/2026-11-29-places-for-streams.md`.
 */
import type { Client, ClientKind } from './client.ts';

export interface StreamLimits extends Readonly<Record<ClientKind, number>> {
  /** Maximum for one named client. */
  readonly client: number;
  /** Minimum time before a stream can be evicted. */
  readonly evictableAfterMs: number;
}

/**
 * Over TCP without a token, 256 in all: each is a connection in which a snapshot may wait. Names
 * can be invented, so named clients get at most half. All limits together stay well below a
 * listener's connection limit, so that other requests are answered while every stream is in use.
 */
export const STREAM_LIMITS: StreamLimits = {
  // A browser needs one, or one per tab if it cannot share; an office may have one address.
  client: 32,
  named: 128,
  unnamed: 128,
  token: 64,
  socket: 64,
  // Ten heartbeats: a client that reconnects this often still sees nearly everything.
  evictableAfterMs: 30_000,
};

/** If a server takes fewer connections, streams may use at most three quarters of them. */
export const streamLimitsFor = (connections: number): StreamLimits => ({
  client: Math.min(STREAM_LIMITS.client, Math.max(1, Math.floor(connections / 8))),
  named: Math.min(STREAM_LIMITS.named, Math.floor(connections / 4)),
  unnamed: Math.min(STREAM_LIMITS.unnamed, Math.floor(connections / 4)),
  token: Math.min(STREAM_LIMITS.token, Math.floor(connections / 4)),
  socket: Math.min(STREAM_LIMITS.socket, Math.floor(connections / 2)),
  evictableAfterMs: STREAM_LIMITS.evictableAfterMs,
});

export type Cap = 'client' | ClientKind;

/** The limit is reached, and no stream can be evicted yet. */
export interface LimitReached {
  readonly cap: Cap;
  readonly most: number;
  /** Time until the first stream can be evicted. */
  readonly retryAfterMs: number;
}

export interface StreamSlot {
  /** Idempotent. */
  release(): void;
}

export interface StreamAdmission {
  /** `evict`: called when this stream loses its slot to another one. */
  admit(client: Client, evict: () => void): StreamSlot | LimitReached;
  /** Number of evicted streams. */
  readonly evicted: number;
  readonly refused: Readonly<Record<Cap, number>>;
}

interface OpenStream {
  readonly name: string;
  readonly sinceMs: number;
  readonly evict: () => void;
}

export function streamAdmission(limits: StreamLimits): StreamAdmission {
  // Sets keep insertion order: the oldest is first.
  const openStreams: Readonly<Record<ClientKind, Set<OpenStream>>> = {
    named: new Set(),
    unnamed: new Set(),
    token: new Set(),
    socket: new Set(),
  };
  const refused = { client: 0, named: 0, unnamed: 0, token: 0, socket: 0 };
  let evicted = 0;

  /** The limit that this client has reached, and the streams that share it. */
  const limitReachedBy = ({
    kind,
    name,
  }: Client): { cap: Cap; competing: readonly OpenStream[] } | null => {
    const all = [...openStreams[kind]];
    const own = all.filter((other) => other.name === name);
    if (kind === 'named' && own.length >= limits.client) return { cap: 'client', competing: own };
    return all.length >= limits[kind] ? { cap: kind, competing: all } : null;
  };

  return {
    get evicted() {
      return evicted;
    },
    refused,
    admit(client, evict) {
      const nowMs = performance.now();
      const all = openStreams[client.kind];
      const limit = limitReachedBy(client);
      if (limit !== null) {
        const { cap, competing } = limit;
        const victim = victimOf(competing, nowMs - limits.evictableAfterMs);
        if (victim === null) {
          refused[cap] += 1;
          const oldestMs = competing[0]?.sinceMs ?? nowMs;
          const retryAfterMs = Math.max(0, oldestMs + limits.evictableAfterMs - nowMs);
          return { cap, most: limits[cap], retryAfterMs };
        }
        all.delete(victim);
        evicted += 1;
        victim.evict();
      }
      const slot: OpenStream = { name: client.name, sinceMs: nowMs, evict };
      all.add(slot);
      return { release: () => void all.delete(slot) };
    },
  };
}

/** The oldest evictable stream of the client with the most streams. */
function victimOf(competing: readonly OpenStream[], beforeMs: number): OpenStream | null {
  const counts = new Map<string, number>();
  for (const { name } of competing) counts.set(name, (counts.get(name) ?? 0) + 1);
  let victim: OpenStream | null = null;
  for (const stream of competing) {
    if (stream.sinceMs > beforeMs) break;
    const isMore = (counts.get(stream.name) ?? 0) > (counts.get(victim?.name ?? '') ?? 0);
    if (victim === null || isMore) victim = stream;
  }
  return victim;
}
