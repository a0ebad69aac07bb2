/**
 * Places for streams: how many each kind of client has, who gets in where they are taken, and who
 * gives way.
 * Who a client is is `client.ts`; how a stream ends is `stream.ts`. Why it is so:
 * `docs/decisions/2026-11-29-places-for-streams.md`.
 */
import type { Client, ClientKind } from './client.ts';

export interface StreamLimits extends Readonly<Record<ClientKind, number>> {
  /** Of one named client. */
  readonly client: number;
  /** So long nobody takes a place from who has it. */
  readonly evictableAfterMs: number;
}

/**
 * Over TCP without a token, 256 in all: each is a connection that a snapshot may wait in. Names can
 * be made up, so they have no more than half of them. With the rest it is well below the connections
 * that a listener takes, so that other questions are answered while all of them are taken.
 */
export const STREAM_LIMITS: StreamLimits = {
  // A browser needs one, or one for each tab where it cannot share; an office may be one address.
  client: 32,
  named: 128,
  unnamed: 128,
  token: 64,
  socket: 64,
  // Ten heartbeats: whoever comes back as often as this still sees nearly all of the time.
  evictableAfterMs: 30_000,
};

/** Where a server takes fewer connections, streams have no more than three quarters of them. */
export const streamLimitsFor = (connections: number): StreamLimits => ({
  client: Math.min(STREAM_LIMITS.client, Math.max(1, Math.floor(connections / 8))),
  named: Math.min(STREAM_LIMITS.named, Math.floor(connections / 4)),
  unnamed: Math.min(STREAM_LIMITS.unnamed, Math.floor(connections / 4)),
  token: Math.min(STREAM_LIMITS.token, Math.floor(connections / 4)),
  socket: Math.min(STREAM_LIMITS.socket, Math.floor(connections / 2)),
  evictableAfterMs: STREAM_LIMITS.evictableAfterMs,
});

export type Cap = 'client' | ClientKind;

/** Every place is taken, and by nobody who would have to give way yet. */
export interface LimitReached {
  readonly cap: Cap;
  readonly most: number;
  /** Until the first of them would. */
  readonly retryAfterMs: number;
}

export interface StreamSlot {
  /** More than once does no harm. */
  release(): void;
}

export interface StreamAdmission {
  /** `giveWay`: called when this place is somebody else's already. */
  admit(client: Client, evict: () => void): StreamSlot | LimitReached;
  /** Streams that had to give way. */
  readonly evicted: number;
  readonly refused: Readonly<Record<Cap, number>>;
}

interface OpenStream {
  readonly name: string;
  readonly sinceMs: number;
  readonly evict: () => void;
}

export function streamAdmission(limits: StreamLimits): StreamAdmission {
  // In a set what came first is first.
  const openStreams: Readonly<Record<ClientKind, Set<OpenStream>>> = {
    named: new Set(),
    unnamed: new Set(),
    token: new Set(),
    socket: new Set(),
  };
  const refused = { client: 0, named: 0, unnamed: 0, token: 0, socket: 0 };
  let evicted = 0;

  /** The cap that this client is at, and who shares it. */
  const limitReachedBy = ({
    kind,
    name,
  }: Client): { cap: Cap; among: readonly OpenStream[] } | null => {
    const all = [...openStreams[kind]];
    const own = all.filter((other) => other.name === name);
    if (kind === 'named' && own.length >= limits.client) return { cap: 'client', among: own };
    return all.length >= limits[kind] ? { cap: kind, among: all } : null;
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
        const { cap, among } = limit;
        const victim = victimOf(among, nowMs - limits.evictableAfterMs);
        if (victim === null) {
          refused[cap] += 1;
          const oldestMs = among[0]?.sinceMs ?? nowMs;
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

/** The oldest of whoever has most, among those that have had their time. */
function victimOf(among: readonly OpenStream[], beforeMs: number): OpenStream | null {
  const counts = new Map<string, number>();
  for (const { name } of among) counts.set(name, (counts.get(name) ?? 0) + 1);
  let victim: OpenStream | null = null;
  for (const one of among) {
    if (one.sinceMs > beforeMs) break;
    const isMore = (counts.get(one.name) ?? 0) > (counts.get(victim?.name ?? '') ?? 0);
    if (victim === null || isMore) victim = one;
  }
  return victim;
}
