/**
 * Sends heartbeats to all gateways, and detects those that are silent or do not read.
 * Logging and recording that is `gateways.ts`.
 */
import { encode, HEARTBEAT_MS, STALE_AFTER_MS } from '@fleet-estop/protocol';
import type { Store } from '../state/store.ts';
import type { Clock, GatewayLink } from './gateway-link.ts';

/** Connection state that the watcher tracks. */
export interface ConnectionState {
  /** Silent for longer than a heartbeat allows. */
  stale: boolean;
  /** Number of listings of the profiles at its last hello; null: no hello yet. */
  listingsAtHello: number | null;
  /** A bogus acknowledgement is logged once per connection. */
  warned: boolean;
}

export interface HeartbeatOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly links: ReadonlyMap<GatewayLink, ConnectionState>;
  readonly heartbeatMs?: number;
  readonly staleAfterMs?: number;
  /** A connection is dropped after this long without a hello, or without reading while it sends. */
  readonly dropAfterMs?: number;
  readonly becameStale: (link: GatewayLink) => void;
  /** Called after each round of heartbeats. */
  readonly onBeat: () => void;
}

export interface Heartbeat {
  /** The current heartbeat, encoded. */
  line(): Uint8Array;
  stop(): void;
}

export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { store, clock, links, becameStale, onBeat: afterBeat } = options;
  const { heartbeatMs = HEARTBEAT_MS, staleAfterMs = STALE_AFTER_MS } = options;
  const { dropAfterMs = 5 * staleAfterMs } = options;

  const line = (): Uint8Array => {
    const { epoch, revision } = store.snapshot();
    return Buffer.from(encode({ type: 'alive', epoch, revision }));
  };

  const checkLink = (link: GatewayLink, connection: ConnectionState, atMs: number): void => {
    const silentMs = atMs - link.lastMessageMs();
    if (connection.listingsAtHello === null) {
      if (silentMs <= dropAfterMs) return;
      const message = `no message for ${seconds(silentMs)}`;
      void link.refuse({ code: 'slow', message, hint: 'connect again' });
      return;
    }
    if (silentMs > staleAfterMs) {
      // INVARIANT 12: a stopped or hanging process keeps its connection, and so it is still
      // counted: if it were dropped, nobody would wait for it any more. The kernel reports when the
      // process ends.
      if (connection.stale) return;
      connection.stale = true;
      becameStale(link);
      return;
    }
    const blockedMs = atMs - (link.outbox.blockedSince() ?? atMs);
    if (blockedMs > dropAfterMs) link.drop(`it has not read for ${seconds(blockedMs)}`);
  };

  let lastBeatMs = clock.steadyMs();
  const sendHeartbeats = (): void => {
    const atMs = clock.steadyMs();
    // If we were stopped ourselves, messages that arrived meanwhile have not been read yet.
    const isLate = atMs - lastBeatMs > heartbeatMs + staleAfterMs / 2;
    lastBeatMs = atMs;
    const alive = line();
    for (const [link, connection] of links) {
      if (!isLate) checkLink(link, connection, atMs);
      if (links.has(link) && connection.listingsAtHello !== null) link.outbox.offer(alive);
    }
    afterBeat();
  };
  const timer = setInterval(sendHeartbeats, heartbeatMs);
  return { line, stop: () => clearInterval(timer) };
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
