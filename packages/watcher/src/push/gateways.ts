/**
 * All gateways: each is told the newest state of what it serves, and what it has acknowledged is
 * known. One connection is `gateway-link.ts`, what a state line says `frames.ts`, whom to wait for
 * `pulse.ts`, and how others see all this `roster.ts`.
 */
import type { Socket } from 'node:net';
import { DEFAULT_LANE } from '@fleet-estop/sentinel-core';
import type { Ack, Hello } from '@fleet-estop/wire';
import type { LinkState } from '../state/gateway-view.ts';
import type { Store } from '../state/store.ts';
import { isProven } from './claim.ts';
import { farewell } from './farewell.ts';
import { frames } from './frames.ts';
import { type Clock, type GatewayLink, gatewayLink, type LinkEvents } from './gateway-link.ts';
import { type PulseOptions, pulse, type Standing } from './pulse.ts';
import { roster } from './roster.ts';

export interface GatewaysOptions
  extends Pick<PulseOptions, 'heartbeatMs' | 'staleAfterMs' | 'dropAfterMs'> {
  readonly store: Store;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
  /** The fleet is to be read anew: somebody serves, or no longer serves, what is no folder in it. */
  readonly lookAgain: () => void;
  readonly clock?: Clock;
  readonly maxLinks?: number;
  /** How many that are gone are remembered, beside those that went away a moment ago. */
  readonly maxGone?: number;
}

export interface Gateways {
  /** Takes over one connection. */
  readonly accept: (socket: Socket) => void;
  /** Says goodbye. Resolves when all connections are closed, a second later at most. */
  readonly close: () => Promise<void>;
}

const SYSTEM_CLOCK: Clock = { now: Date.now, steadyMs: () => performance.now() };

export function gateways(options: GatewaysOptions): Gateways {
  const { store, log, lookAgain, clock = SYSTEM_CLOCK } = options;
  const { maxLinks = 4_096, maxGone = 256 } = options;
  const newest = frames(store.snapshot());
  const links = new Map<GatewayLink, Standing>();
  let lookWanted = false;
  let closing = false;

  const stateOf = (link: GatewayLink): LinkState => {
    if (links.get(link)?.stale) return 'stale';
    const profiles = [...link.profiles().values()];
    const isCurrent = profiles.every(({ name, acknowledged }) => {
      const revision = newest.revisionOf(name);
      return revision !== null && acknowledged !== null && acknowledged >= revision;
    });
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

  /** true: something was taken back or said anew. */
  const tell = (link: GatewayLink, { greetedAt }: Standing, profile: string): boolean => {
    // Only a listing that is younger than the hello can say that this profile is not in the fleet.
    if (!newest.isInFleet(profile) && greetedAt === store.snapshot().fleet.listings) return false;
    const revision = newest.revisionOf(profile);
    if (revision !== null && link.outbox.newest(profile) === revision) return false;
    const frame = newest.of(profile);
    if (frame !== null) link.outbox.put(profile, frame);
    shown.changed(link);
    return true;
  };

  const acknowledge = (link: GatewayLink, ack: Ack): void => {
    const { profile, revision, in_flight } = ack;
    const before = link.profiles().get(profile)?.acknowledged ?? null;
    // INVARIANT 12: only what this run has told this gateway can be acknowledged by it.
    const isOurs = ack.epoch === store.snapshot().epoch;
    const toldMs = isOurs ? link.told.answered(profile, revision) : null;
    if (toldMs === null) {
      const standing = links.get(link);
      if ((isOurs && before === revision) || standing === undefined || standing.warned) return;
      standing.warned = true;
      log.warn(
        { instance: link.hello()?.instance, ...ack },
        'an acknowledgement of nothing that it was told is ignored',
      );
      return;
    }
    link.confirm(profile, revision);
    const latency_ms = Math.round((clock.steadyMs() - toldMs) * 100) / 100;
    shown.record('gateway.acknowledged', link, { profile, revision, in_flight, latency_ms });
    shown.soon();
  };

  /**
   * INVARIANT 12: an instance belongs to the process that said it first. false: another connection has
   * it, and this one cannot show that it is the same gateway.
   */
  const takePlace = (link: GatewayLink, claim: Hello): boolean => {
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
    for (const leftover of known) {
      const message = 'the same gateway has connected again';
      const hint = 'nothing is to be done: its newer connection counts';
      void leftover.refuse({ code: 'closing', message, hint });
    }
    shown.returned(claim);
    return true;
  };

  const events: LinkEvents = {
    greeted(link, first) {
      const { instance, pid, software } = link.view('connected');
      const profiles = [...link.profiles().keys()];
      if (first) {
        const hello = link.hello();
        if (hello === null || !takePlace(link, hello)) return;
        log.info({ instance, gateway_pid: pid, software, profiles }, 'gateway connected');
        shown.record('gateway.connected', link, { software, profiles });
      }
      const standing = links.get(link);
      if (standing === undefined) return;
      standing.greetedAt = store.snapshot().fleet.listings;
      link.outbox.offer(heart.line());
      for (const name of profiles) tell(link, standing, name);
      if (profiles.some((name) => !newest.isInFleet(name))) lookWanted = true;
      shown.changed(link);
      shown.soon();
    },
    acknowledged: acknowledge,
    heard(link) {
      const standing = links.get(link);
      shown.changed(link);
      if (!standing?.stale) return;
      standing.stale = false;
      const { instance, pid, software } = link.view('connected');
      log.info({ instance, gateway_pid: pid }, 'gateway is heard again');
      const profiles = [...link.profiles().keys()];
      shown.record('gateway.connected', link, { software, profiles, after: 'stale' });
      shown.soon();
    },
    ended(link, why, refused) {
      const { greetedAt = null } = links.get(link) ?? {};
      links.delete(link);
      if (closing) return;
      const { instance, pid } = link.hello() ?? {};
      const who = { instance, gateway_pid: pid };
      if (refused !== null) log.warn({ ...who, ...refused }, 'a connection was refused');
      if (greetedAt === null) return;
      if (refused === null) log.info({ ...who, why }, 'gateway gone');
      shown.gone(link);
      shown.record('gateway.gone', link, { why });
      // It is in the fleet only as long as somebody serves it.
      if (link.profiles().has(DEFAULT_LANE)) lookWanted = true;
      shown.soon();
    },
  };

  const heart = pulse({
    ...options,
    clock,
    links,
    becameStale(link) {
      const { instance, pid, last_seen_at } = link.view('stale');
      log.warn({ instance, gateway_pid: pid, last_seen_at }, 'gateway stale');
      shown.record('gateway.stale', link, { last_seen_at });
      shown.changed(link);
    },
    beaten: shown.soon,
  });

  const unsubscribe = store.subscribeFirst((snapshot) => {
    if (!newest.see(snapshot)) return;
    let told = false;
    for (const [link, standing] of links) {
      if (standing.greetedAt === null) continue;
      for (const name of link.profiles().keys()) told = tell(link, standing, name) || told;
    }
    if (told) shown.atOnce();
  });

  return {
    accept(socket) {
      if (links.size < maxLinks) {
        const standing = { stale: false, greetedAt: null, warned: false };
        links.set(gatewayLink(socket, events, clock), standing);
        return;
      }
      const message = `${links.size} gateways are connected, and no more are let in`;
      const reason = { code: 'too-many', message, hint: 'connect again later' } as const;
      log.warn(reason, 'a connection was refused');
      void farewell(socket, reason);
    },
    async close() {
      closing = true;
      heart.stop();
      unsubscribe();
      shown.close();
      const hint = 'holds on disk still apply; connect again later';
      const reason = { code: 'closing', message: 'the watcher stops', hint } as const;
      await Promise.all([...links.keys()].map((link) => link.refuse(reason)));
    },
  };
}
