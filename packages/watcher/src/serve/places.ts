/**
 * Places for streams: how many each kind of client has, who gets in where they are taken, and who
 * gives way.
 * Who a client is is `client.ts`; how a stream ends is `stream.ts`. Why it is so:
 * `docs/decisions/2026-11-29-places-for-streams.md`.
 */
import type { Client, ClientKind } from './client.ts';

export interface PlaceLimits extends Readonly<Record<ClientKind, number>> {
  /** Of one named client. */
  readonly client: number;
  /** So long nobody takes a place from who has it. */
  readonly undisturbedMs: number;
}

/**
 * Over TCP without a token, 256 in all: each is a connection that a snapshot may wait in. Names can
 * be made up, so they have no more than half of them. With the rest it is well below the connections
 * that a listener takes, so that other questions are answered while all of them are taken.
 */
export const PLACES: PlaceLimits = {
  // A browser needs one, or one for each tab where it cannot share; an office may be one address.
  client: 32,
  named: 128,
  unnamed: 128,
  token: 64,
  socket: 64,
  // Ten heartbeats: whoever comes back as often as this still sees nearly all of the time.
  undisturbedMs: 30_000,
};

/** Where a server takes fewer connections, streams have no more than three quarters of them. */
export const placesAmong = (connections: number): PlaceLimits => ({
  client: Math.min(PLACES.client, Math.max(1, Math.floor(connections / 8))),
  named: Math.min(PLACES.named, Math.floor(connections / 4)),
  unnamed: Math.min(PLACES.unnamed, Math.floor(connections / 4)),
  token: Math.min(PLACES.token, Math.floor(connections / 4)),
  socket: Math.min(PLACES.socket, Math.floor(connections / 2)),
  undisturbedMs: PLACES.undisturbedMs,
});

export type Cap = 'client' | ClientKind;

/** Every place is taken, and by nobody who would have to give way yet. */
export interface Full {
  readonly cap: Cap;
  readonly most: number;
  /** Until the first of them would. */
  readonly retryAfterMs: number;
}

export interface Place {
  /** More than once does no harm. */
  leave(): void;
}

export interface Places {
  /** `giveWay`: called when this place is somebody else's already. */
  take(client: Client, giveWay: () => void): Place | Full;
  /** Streams that had to give way. */
  readonly gaveWay: number;
  readonly refused: Readonly<Record<Cap, number>>;
}

interface Taken {
  readonly name: string;
  readonly sinceMs: number;
  readonly giveWay: () => void;
}

export function places(limits: PlaceLimits): Places {
  // In a set what came first is first.
  const taken: Readonly<Record<ClientKind, Set<Taken>>> = {
    named: new Set(),
    unnamed: new Set(),
    token: new Set(),
    socket: new Set(),
  };
  const refused = { client: 0, named: 0, unnamed: 0, token: 0, socket: 0 };
  let gaveWay = 0;

  /** The cap that this client is at, and who shares it. */
  const fullFor = ({ kind, name }: Client): { cap: Cap; among: readonly Taken[] } | null => {
    const all = [...taken[kind]];
    const own = all.filter((other) => other.name === name);
    if (kind === 'named' && own.length >= limits.client) return { cap: 'client', among: own };
    return all.length >= limits[kind] ? { cap: kind, among: all } : null;
  };

  return {
    get gaveWay() {
      return gaveWay;
    },
    refused,
    take(client, giveWay) {
      const nowMs = performance.now();
      const all = taken[client.kind];
      const full = fullFor(client);
      if (full !== null) {
        const { cap, among } = full;
        const leaver = leaverOf(among, nowMs - limits.undisturbedMs);
        if (leaver === null) {
          refused[cap] += 1;
          const oldestMs = among[0]?.sinceMs ?? nowMs;
          const retryAfterMs = Math.max(0, oldestMs + limits.undisturbedMs - nowMs);
          return { cap, most: limits[cap], retryAfterMs };
        }
        all.delete(leaver);
        gaveWay += 1;
        leaver.giveWay();
      }
      const place: Taken = { name: client.name, sinceMs: nowMs, giveWay };
      all.add(place);
      return { leave: () => void all.delete(place) };
    },
  };
}

/** The oldest of whoever has most, among those that have had their time. */
function leaverOf(among: readonly Taken[], beforeMs: number): Taken | null {
  const counts = new Map<string, number>();
  for (const { name } of among) counts.set(name, (counts.get(name) ?? 0) + 1);
  let leaver: Taken | null = null;
  for (const one of among) {
    if (one.sinceMs > beforeMs) break;
    const isMore = (counts.get(one.name) ?? 0) > (counts.get(leaver?.name ?? '') ?? 0);
    if (leaver === null || isMore) leaver = one;
  }
  return leaver;
}
