/**
 * Prometheus metrics in their own registry, computed from the state when they are asked for.
 * Labels are bounded: names of the fleet's profiles and fixed words. Holders, reasons and other
 * free text stay out.
 */

import type { GatewayView, LinkState } from '@fleet-estop/protocol';
import { EVENT_TYPES } from '@fleet-estop/protocol';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { judge } from '../state/acknowledgement.ts';
import { scopesOf, unreadableIn } from '../state/fleet-state.ts';
import type { ServeContext } from './context.ts';
import type { Cap } from './stream-admission.ts';

export interface StreamCounts {
  readonly sent: number;
  readonly gaps: number;
  readonly dropped: number;
  readonly evicted: number;
  /** By the limit that was reached. */
  readonly refused: Readonly<Record<Cap, number>>;
  readonly readers: number;
}

export interface Metrics {
  text(): Promise<string>;
  readonly contentType: string;
  close(): void;
}

const CAPS: readonly Cap[] = ['client', 'named', 'unnamed', 'token', 'socket'];
const LINKS: readonly LinkState[] = ['connected', 'acknowledged', 'stale', 'gone'];
/** Gateways choose their profile names; those outside the fleet share one label. */
const OTHER = 'other';

export function metrics(
  context: ServeContext,
  ask: { readonly streamCounts: () => StreamCounts; readonly isReady: () => boolean },
): Metrics {
  const { store } = context;
  const registry = new Registry();
  const registers = [registry];
  const gauge = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge<L>({ name: `fleet_${name}`, help, labelNames, registers });
  const counter = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Counter<L>({ name: `fleet_${name}`, help, labelNames, registers });

  const ready = gauge('ready', '1 while /readyz answers that the watcher is ready.');
  const paused = gauge('profile_paused', '1 while new work of the profile is held.', ['profile']);
  const age = gauge(
    'hold_age_seconds',
    'Seconds since the oldest hold that binds the profile was armed.',
    ['profile'],
  );
  const held = gauge('scope_holds', 'Holds in all scopes of a kind.', ['kind']);
  const unreadable = gauge('unreadable', 'Sentinels and folders that could not be looked at.');
  const links = gauge('gateways', 'Gateways by the state of their link.', ['link']);
  const unacknowledged = gauge(
    'profile_unacknowledged_gateways',
    'Gateways that serve the profile and have not acknowledged its newest state. No sample: unknown, or no gateway serves it.',
    ['profile'],
  );
  const unserved = gauge(
    'profiles_without_gateway',
    'Profiles that no gateway serves; counts of acknowledgements do not include them.',
  );
  const inHand = gauge(
    'work_in_hand',
    'Work in hand that gateways report, by profile; no sample without a connected gateway.',
    ['profile'],
  );
  const sweep = gauge('sweep_age_seconds', 'Seconds since the last full look at the disk.');
  const deaf = gauge(
    'deaf_folders',
    'Folders without change notices: only the sweep sees their changes.',
  );
  const missed = counter(
    'unannounced_changes_total',
    'Changes that the sweep found without a notice.',
  );
  const rejected = gauge('rejected_settings', 'Settings files that are rejected.');
  const revision = gauge('revision', 'Newest revision in this run of the watcher.');
  const readers = gauge('stream_readers', 'Open event streams.');
  const pushed = counter('stream_events_total', 'Events written to streams.');
  const dropped = counter(
    'stream_dropped_total',
    'Streams that missed events or were ended, by reason.',
    ['why'],
  );
  const turnedAway = counter(
    'stream_refused_total',
    'Streams that were refused, by the limit that was reached.',
    ['cap'],
  );
  const events = counter('events_total', 'Events of this run, by type.', ['type']);
  for (const type of EVENT_TYPES) events.inc({ type }, 0);
  const refusals = counter('refusals_total', 'Refusals that gateways report, by profile.', [
    'profile',
  ]);
  const latency = new Histogram({
    name: 'fleet_acknowledgement_seconds',
    help: 'Seconds from writing a state to a gateway until its acknowledgement.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });

  const labelOf = (name: string) => (store.snapshot().profileRevisions.has(name) ? name : OTHER);
  const reported = refusalDeltas();
  const unsubscribe = store.subscribe((snapshot, fresh) => {
    for (const { type, data } of fresh) {
      events.inc({ type });
      const ms = data['latency_ms'];
      if (type === 'gateway.acknowledged' && typeof ms === 'number') latency.observe(ms / 1_000);
    }
    for (const { profile, more } of reported(snapshot.gateways)) {
      refusals.inc({ profile: labelOf(profile) }, more);
    }
  });

  let missedBefore = 0;
  const collect = (): void => {
    const snapshot = store.snapshot();
    const { fleet, gateways, revision: newest } = snapshot;
    const nowMs = Date.now();
    ready.set(ask.isReady() ? 1 : 0);
    for (const labelled of [paused, age, held, links, unacknowledged, inHand]) labelled.reset();
    const shared = fleet.shared.flatMap(({ holds }) => holds);
    for (const { name, engaged, own } of fleet.profiles) {
      paused.set({ profile: name }, engaged ? 1 : 0);
      if (!engaged) continue;
      const ages = [...(own?.holds ?? []), ...shared].map(({ since }) => ageOf(since, nowMs));
      age.set({ profile: name }, Math.max(0, ...ages));
    }
    for (const kind of ['root', 'cluster', 'profile'] as const) held.set({ kind }, 0);
    for (const { kind, holds } of scopesOf(fleet)) held.inc({ kind }, holds.length);
    unreadable.set(unreadableIn(fleet).length);
    for (const link of LINKS) links.set({ link }, 0);
    for (const gateway of gateways) {
      links.inc({ link: gateway.link });
      if (gateway.link === 'gone') continue;
      for (const { name, in_flight } of gateway.profiles) {
        inHand.inc({ profile: labelOf(name) }, in_flight);
      }
    }
    const { profiles: verdicts } = judge(snapshot);
    let unservedCount = 0;
    for (const { name } of fleet.profiles) {
      const { verdict, connected = 0, acknowledged = 0 } = verdicts.get(name) ?? {};
      if (connected === 0) unservedCount += 1;
      // Without a sample, nobody takes "unknown" for "all".
      else if (verdict !== 'unknown' || acknowledged < connected)
        unacknowledged.set({ profile: name }, connected - acknowledged);
    }
    unserved.set(unservedCount);
    const health = context.health();
    sweep.set(health.sweepAgeMs / 1_000);
    deaf.set(health.deaf.size);
    missed.inc(Math.max(0, health.unannounced - missedBefore));
    missedBefore = health.unannounced;
    rejected.set(context.configState().rejected.length);
    revision.set(newest);
    const counts = ask.streamCounts();
    for (const total of [pushed, dropped, turnedAway]) total.reset();
    readers.set(counts.readers);
    pushed.inc(counts.sent);
    dropped.inc({ why: 'gap' }, counts.gaps);
    dropped.inc({ why: 'slow' }, counts.dropped);
    dropped.inc({ why: 'gave-way' }, counts.evicted);
    for (const cap of CAPS) turnedAway.inc({ cap }, counts.refused[cap]);
  };

  return {
    contentType: registry.contentType,
    text() {
      collect();
      return registry.metrics();
    },
    close: unsubscribe,
  };
}

/** A gateway reports its refusals since its start; answers what is new, across restarts. */
function refusalDeltas() {
  const known = new Map<string, ReadonlyMap<string, number>>();
  let seen: readonly GatewayView[] = [];
  return (gateways: readonly GatewayView[]) => {
    const found: { readonly profile: string; readonly more: number }[] = [];
    if (gateways === seen) return found;
    seen = gateways;
    const present = new Set<string>();
    for (const { instance, pid, profiles } of gateways) {
      const key = `${pid} ${instance}`;
      present.add(key);
      const old = known.get(key);
      for (const { name, refused } of profiles) {
        const more = refused - (old?.get(name) ?? 0);
        if (more > 0) found.push({ profile: name, more });
      }
      // A new connection of the same process begins at 0, and its next heartbeat brings the whole sum.
      const counted = profiles.map(({ name, refused }) => {
        return [name, Math.max(refused, old?.get(name) ?? 0)] as const;
      });
      known.set(key, new Map(counted));
    }
    for (const key of known.keys()) if (!present.has(key)) known.delete(key);
    return found;
  };
}

/** Seconds; 0 without a readable stamp. */
function ageOf(since: string | null, nowMs: number): number {
  const ms = since === null ? Number.NaN : Date.parse(since);
  return Number.isNaN(ms) ? 0 : Math.max(0, (nowMs - ms) / 1_000);
}
