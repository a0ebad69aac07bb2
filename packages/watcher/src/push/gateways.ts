/**
 * All gateways: sends each the newest state of its profiles, and tracks what it has acknowledged.
 * One connection is `gateway-link.ts`, the content of a state line `frames.ts`, silence and
 * timeouts `heartbeat.ts`, and what others see of gateways `roster.ts`.
 */
import type { Socket } from 'node:net';
import type { Ack, Hello, LinkState } from '@fleet-estop/protocol';
import { DEFAULT_PROFILE } from '@fleet-estop/sentinel-core';
import { includes } from '../state/acknowledgement.ts';
import type { Store } from '../state/store.ts';
import { isProven } from './claim.ts';
import { closeWithReason } from './closing.ts';
import { type Cuts, cuts } from './cuts.ts';
import { frames } from './frames.ts';
import { type Clock, type GatewayLink, gatewayLink, type LinkEvents } from './gateway-link.ts';
import { type ConnectionState, type HeartbeatOptions, startHeartbeat } from './heartbeat.ts';
import { roster } from './roster.ts';

export interface GatewaysOptions
  extends Pick<HeartbeatOptions, 'heartbeatMs' | 'staleAfterMs' | 'dropAfterMs'> {
  readonly store: Store;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
  /** Read the fleet again: a gateway started or stopped serving a profile that has no folder. */
  readonly lookAgain: () => void;
  readonly clock?: Clock;
  readonly maxLinks?: number;
  /** How many gone gateways are remembered, besides those that left a moment ago. */
  readonly maxGone?: number;
}

export interface Gateways {
  /** Takes over one connection. */
  readonly accept: (socket: Socket) => void;
  /** Has the gateways of a profile cut its work. */
  readonly cut: Cuts['ask'];
  /**
   * Tells every gateway why, and resolves when all connections are closed, after at most a second.
   */
  readonly close: () => Promise<void>;
}

const SYSTEM_CLOCK: Clock = { now: Date.now, steadyMs: () => performance.now() };

export function gateways(options: GatewaysOptions): Gateways {
  const { store, log, lookAgain, clock = SYSTEM_CLOCK } = options;
  const { maxLinks = 4_096, maxGone = 256 } = options;
  const newest = frames(store.snapshot());
  const links = new Map<GatewayLink, ConnectionState>();
  const cutting = cuts(() => links.keys());
  let lookWanted = false;
  let closing = false;

  const stateOf = (link: GatewayLink): LinkState => {
    if (links.get(link)?.stale) return 'stale';
    const profiles = [...link.profiles().values()];
    const isCurrent = profiles.every(({ name, acknowledged }) =>
      includes(acknowledged, newest.revisionOf(name)),
    );
    return isCurrent && profiles.length > 0 ? 'acknowledged' : 'connected';
  };
  const shown = roster({
    store,
    maxGone,
    maxLinks,
    steadyMs: clock.steadyMs,
    stateOf,
    published() {
      if (lookWanted) lookAgain();
      lookWanted = false;
    },
  });

  /** true: a new state was sent, or an earlier acknowledgement no longer counts. */
  const sendState = (
    link: GatewayLink,
    { listingsAtHello }: ConnectionState,
    profile: string,
  ): boolean => {
    // Only a listing that is newer than the hello can show that the profile is not in the fleet.
    if (!newest.isInFleet(profile) && listingsAtHello === store.snapshot().fleet.listings)
      return false;
    const revision = newest.revisionOf(profile);
    if (revision !== null && link.outbox.newest(profile) === revision) return false;
    const frame = newest.frameOf(profile);
    if (frame !== null) link.outbox.put(profile, frame);
    shown.changed(link);
    return true;
  };

  const acknowledge = (link: GatewayLink, ack: Ack): void => {
    const { profile, revision, in_flight } = ack;
    const before = link.profiles().get(profile)?.acknowledged ?? null;
    // INVARIANT 12: a gateway can only acknowledge what this run has sent to it.
    const isOurs = ack.epoch === store.snapshot().epoch;
    const sentMs = isOurs ? link.pending.acknowledged(profile, revision) : null;
    if (sentMs === null) {
      const connection = links.get(link);
      if ((isOurs && before === revision) || connection === undefined || connection.warned) return;
      connection.warned = true;
      log.warn(
        { instance: link.hello()?.instance, ...ack },
        'ignored an acknowledgement of a state that was not sent',
      );
      return;
    }
    link.confirm(profile, revision);
    const latency_ms = Math.round((clock.steadyMs() - sentMs) * 100) / 100;
    shown.record('gateway.acknowledged', link, { profile, revision, in_flight, latency_ms });
    shown.publishSoon();
  };

  /**
   * INVARIANT 12: an instance belongs to the process that claimed it first. false: another
   * connection has it, and this one cannot prove that it is the same gateway.
   */
  const claimInstance = (link: GatewayLink, claim: Hello): boolean => {
    const known = [...links.keys()].filter(
      (other) => other !== link && other.hello()?.instance === claim.instance,
    );
    for (const other of known) {
      const hello = other.hello();
      if (hello === null || isProven(hello, claim)) continue;
      const message = `\`${claim.instance}\` is the \`instance\` of process ${hello.pid}, which is connected`;
      const hint = 'every process needs an `instance` of its own';
      void link.refuse({ code: 'taken', message, hint });
      return false;
    }
    for (const oldLink of known) {
      const message = 'the same gateway has connected again';
      const hint = 'nothing to do: the newer connection counts';
      void oldLink.refuse({ code: 'closing', message, hint });
    }
    shown.returned(claim);
    return true;
  };

  const events: LinkEvents = {
    helloReceived(link, first) {
      const { instance, pid, software } = link.view('connected');
      const profiles = [...link.profiles().keys()];
      if (first) {
        const hello = link.hello();
        if (hello === null || !claimInstance(link, hello)) return;
        log.info({ instance, gateway_pid: pid, software, profiles }, 'gateway connected');
        shown.record('gateway.connected', link, { software, profiles });
      }
      const connection = links.get(link);
      if (connection === undefined) return;
      connection.listingsAtHello = store.snapshot().fleet.listings;
      link.outbox.offer(heartbeat.line());
      for (const name of profiles) sendState(link, connection, name);
      if (profiles.some((name) => !newest.isInFleet(name))) lookWanted = true;
      shown.changed(link);
      shown.publishSoon();
    },
    acknowledged: acknowledge,
    cutDone: cutting.answered,
    onMessage(link) {
      const connection = links.get(link);
      shown.changed(link);
      if (!connection?.stale) return;
      connection.stale = false;
      const { instance, pid, software } = link.view('connected');
      log.info({ instance, gateway_pid: pid }, 'gateway responds again');
      const profiles = [...link.profiles().keys()];
      shown.record('gateway.connected', link, { software, profiles, after: 'stale' });
      shown.publishSoon();
    },
    ended(link, why, refused) {
      const { listingsAtHello = null } = links.get(link) ?? {};
      links.delete(link);
      if (closing) return;
      const { instance, pid } = link.hello() ?? {};
      const who = { instance, gateway_pid: pid };
      if (refused !== null) log.warn({ ...who, ...refused }, 'a connection was refused');
      if (listingsAtHello === null) return;
      if (refused === null) log.info({ ...who, why }, 'gateway gone');
      shown.gone(link);
      shown.record('gateway.gone', link, { why });
      // The profile is in the fleet only while a gateway serves it.
      if (link.profiles().has(DEFAULT_PROFILE)) lookWanted = true;
      shown.publishSoon();
    },
  };

  const heartbeat = startHeartbeat({
    ...options,
    clock,
    links,
    becameStale(link) {
      const { instance, pid, last_seen_at } = link.view('stale');
      log.warn({ instance, gateway_pid: pid, last_seen_at }, 'gateway stale');
      shown.record('gateway.stale', link, { last_seen_at });
      shown.changed(link);
    },
    onBeat: shown.publishSoon,
  });

  const unsubscribe = store.subscribeFirst((snapshot) => {
    if (!newest.update(snapshot)) return;
    let anySent = false;
    for (const [link, connection] of links) {
      if (connection.listingsAtHello === null) continue;
      for (const name of link.profiles().keys())
        anySent = sendState(link, connection, name) || anySent;
    }
    if (anySent) shown.publishNow();
  });

  return {
    cut: cutting.ask,
    accept(socket) {
      if (links.size < maxLinks) {
        const connection = { stale: false, listingsAtHello: null, warned: false };
        links.set(gatewayLink(socket, events, clock), connection);
        return;
      }
      const message = `${links.size} gateways are connected, which is the limit`;
      const reason = { code: 'too-many', message, hint: 'connect again later' } as const;
      log.warn(reason, 'a connection was refused');
      void closeWithReason(socket, reason);
    },
    async close() {
      closing = true;
      cutting.close();
      heartbeat.stop();
      unsubscribe();
      shown.close();
      const hint = 'holds on disk still apply; connect again later';
      const reason = { code: 'closing', message: 'the watcher is stopping', hint } as const;
      await Promise.all([...links.keys()].map((link) => link.refuse(reason)));
    },
  };
}
