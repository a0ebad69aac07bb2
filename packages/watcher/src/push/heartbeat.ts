/**
 * Heartbeats to all gateways; and who was silent, or did not read, for too long.
 * What is said about that is `gateways.ts`.
 */
import { encode, HEARTBEAT_MS, STALE_AFTER_MS } from '@fleet-estop/wire';
import type { Store } from '../state/store.ts';
import type { Clock, GatewayLink } from './gateway-link.ts';

/** What is known of a connection beside what it said itself. */
export interface ConnectionState {
  /** Silent for longer than a heartbeat allows. */
  stale: boolean;
  /** How often the profiles had been listed when it last said what it serves; null: it has not. */
  greetedAt: number | null;
  /** It is only once worth a line that it says what it cannot know. */
  warned: boolean;
}

export interface HeartbeatOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly links: ReadonlyMap<GatewayLink, ConnectionState>;
  readonly heartbeatMs?: number;
  readonly staleAfterMs?: number;
  /** For this long a connection may say no hello, or take nothing though it talks. Then it is dropped. */
  readonly dropAfterMs?: number;
  readonly becameStale: (link: GatewayLink) => void;
  /** After each beat. */
  readonly afterBeat: () => void;
}

export interface Heartbeat {
  /** The heartbeat of this moment. */
  line(): Uint8Array;
  stop(): void;
}

export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { store, clock, links, becameStale, afterBeat } = options;
  const { heartbeatMs = HEARTBEAT_MS, staleAfterMs = STALE_AFTER_MS } = options;
  const { dropAfterMs = 5 * staleAfterMs } = options;

  const line = (): Uint8Array => {
    const { epoch, revision } = store.snapshot();
    return Buffer.from(encode({ type: 'alive', epoch, revision }));
  };

  const checkLink = (link: GatewayLink, connection: ConnectionState, atMs: number): void => {
    const silentMs = atMs - link.lastMessageMs();
    if (connection.greetedAt === null) {
      if (silentMs <= dropAfterMs) return;
      const message = `nothing was heard for ${seconds(silentMs)}`;
      void link.refuse({ code: 'slow', message, hint: 'connect again' });
      return;
    }
    if (silentMs > staleAfterMs) {
      // INVARIANT 12: a process that is stopped or hangs keeps its connection, and so its place in the
      // account: dropped, nobody would wait for it any more. The kernel tells when it ends.
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
    // After we were stopped ourselves, what others said meanwhile has not been read yet.
    const isLate = atMs - lastBeatMs > heartbeatMs + staleAfterMs / 2;
    lastBeatMs = atMs;
    const alive = line();
    for (const [link, connection] of links) {
      if (!isLate) checkLink(link, connection, atMs);
      if (links.has(link) && connection.greetedAt !== null) link.outbox.offer(alive);
    }
    afterBeat();
  };
  const timer = setInterval(sendHeartbeats, heartbeatMs);
  return { line, stop: () => clearInterval(timer) };
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
