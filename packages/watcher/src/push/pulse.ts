/**
 * Heartbeats to all gateways; and who was silent, or did not read, for too long.
 * What is said about that is `gateways.ts`.
 */
import { encode, HEARTBEAT_MS, STALE_AFTER_MS } from '@fleet-estop/wire';
import type { Store } from '../state/store.ts';
import type { Clock, GatewayLink } from './gateway-link.ts';

/** What is known of a connection beside what it said itself. */
export interface Standing {
  /** Silent for longer than a heartbeat allows. */
  stale: boolean;
  /** How often the profiles had been listed when it last said what it serves; null: it has not. */
  greetedAt: number | null;
  /** It is only once worth a line that it says what it cannot know. */
  warned: boolean;
}

export interface PulseOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly links: ReadonlyMap<GatewayLink, Standing>;
  readonly heartbeatMs?: number;
  readonly staleAfterMs?: number;
  /** For this long a connection may say no hello, or take nothing though it talks. Then it is dropped. */
  readonly dropAfterMs?: number;
  readonly becameStale: (link: GatewayLink) => void;
  /** After each beat. */
  readonly beaten: () => void;
}

export interface Pulse {
  /** The heartbeat of this moment. */
  line(): Uint8Array;
  stop(): void;
}

export function pulse(options: PulseOptions): Pulse {
  const { store, clock, links, becameStale, beaten } = options;
  const { heartbeatMs = HEARTBEAT_MS, staleAfterMs = STALE_AFTER_MS } = options;
  const { dropAfterMs = 5 * staleAfterMs } = options;

  const line = (): Uint8Array => {
    const { epoch, revision } = store.snapshot();
    return Buffer.from(encode({ type: 'alive', epoch, revision }));
  };

  const judge = (link: GatewayLink, standing: Standing, atMs: number): void => {
    const silentMs = atMs - link.heardMs();
    if (standing.greetedAt === null) {
      if (silentMs <= dropAfterMs) return;
      const message = `nothing was heard for ${seconds(silentMs)}`;
      void link.refuse({ code: 'slow', message, hint: 'connect again' });
      return;
    }
    if (silentMs > staleAfterMs) {
      // INVARIANT 12: a process that is stopped or hangs keeps its connection, and so its place in the
      // account: dropped, nobody would wait for it any more. The kernel tells when it ends.
      if (standing.stale) return;
      standing.stale = true;
      becameStale(link);
      return;
    }
    const blockedMs = atMs - (link.outbox.blockedSince() ?? atMs);
    if (blockedMs > dropAfterMs) link.drop(`it has not read for ${seconds(blockedMs)}`);
  };

  let beatMs = clock.steadyMs();
  const beat = (): void => {
    const atMs = clock.steadyMs();
    // After we were stopped ourselves, what others said meanwhile has not been read yet.
    const isLate = atMs - beatMs > heartbeatMs + staleAfterMs / 2;
    beatMs = atMs;
    const alive = line();
    for (const [link, standing] of links) {
      if (!isLate) judge(link, standing, atMs);
      if (links.has(link) && standing.greetedAt !== null) link.outbox.offer(alive);
    }
    beaten();
  };
  const timer = setInterval(beat, heartbeatMs);
  return { line, stop: () => clearInterval(timer) };
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
