/**
 * Metrics for Prometheus, in a registry of their own, read from the state at the moment of asking.
 * Labels are bounded: names of the fleet's profiles and words of ours. Holders, reasons and whatever
 * else anybody may write stays out.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { EVENT_TYPES } from '../state/event-log.ts';
import { scopesOf, unreadableIn } from '../state/fleet-state.ts';
import type { GatewayView, LinkState } from '../state/gateway-view.ts';
import type { ServeContext } from './context.ts';
import type { Cap } from './stream-admission.ts';

export interface StreamCounts {
  readonly sent: number;
  readonly gaps: number;
  readonly dropped: number;
  readonly evicted: number;
  /** By the cap that they were refused for. */
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
/** A gateway names its profiles; those that are none of the fleet share one label. */
const OTHER = 'other';

export function metrics(context: ServeContext, streamCounts: () => StreamCounts): Metrics {
  const { store } = context;
  const registry = new Registry();
  const registers = [registry];
  const gauge = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge<L>({ name: `fleet_${name}`, help, labelNames, registers });
  const counter = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Counter<L>({ name: `fleet_${name}`, help, labelNames, registers });

  const paused = gauge('profile_paused', '1 while new work of the profile is held.', ['profile']);
  const age = gauge('hold_age_seconds', 'Since the oldest hold that binds the profile was armed.', [
    'profile',
  ]);
  const held = gauge('scope_holds', 'Holds that stand in the scopes of a kind.', ['kind']);
  const unreadable = gauge('unreadable', 'Sentinels and folders that could not be looked at.');
  const links = gauge('gateways', 'Gateways by the state of their link.', ['link']);
  const unacknowledged = gauge(
    'profile_unacknowledged_gateways',
    'Gateways that serve the profile and have not said that its newest state is in force.',
    ['profile'],
  );
  const unserved = gauge(
    'profiles_without_gateway',
    'Profiles that no gateway serves: no count of acknowledgements is about them.',
  );
  const inHand = gauge(
    'work_in_hand',
    'Work in hand that gateways report, by profile. Where none is heard there is no sample.',
    ['profile'],
  );
  const sweep = gauge('sweep_age_seconds', 'Since everything was last read from disk.');
  const deaf = gauge('deaf_folders', 'Folders without change notices: only the sweep sees them.');
  const missed = counter('unannounced_changes_total', 'Changes that only the sweep found.');
  const rejected = gauge('rejected_settings', 'Settings files that were refused.');
  const revision = gauge('revision', 'Number of the newest change in this run of the watcher.');
  const readers = gauge('stream_readers', 'Streams of events that are open.');
  const pushed = counter('stream_events_total', 'Events written to streams.');
  const dropped = counter('stream_dropped_total', 'Streams that missed something or were ended.', [
    'why',
  ]);
  const turnedAway = counter(
    'stream_refused_total',
    'Streams that were not let in, by the cap that was reached.',
    ['cap'],
  );
  const events = counter('events_total', 'Events of this run, by type.', ['type']);
  for (const type of EVENT_TYPES) events.inc({ type }, 0);
  const refusals = counter('refusals_total', 'Refusals that gateways report, by profile.', [
    'profile',
  ]);
  const latency = new Histogram({
    name: 'fleet_acknowledgement_seconds',
    help: 'From writing a state to a gateway until it said that it is in force.',
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
  let before: Omit<StreamCounts, 'readers' | 'refused'> & {
    readonly refused: Partial<StreamCounts['refused']>;
  } = { sent: 0, gaps: 0, dropped: 0, evicted: 0, refused: {} };
  const collect = (): void => {
    const { fleet, gateways, profileRevisions, revision: newest } = store.snapshot();
    const nowMs = Date.now();
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
    const served = new Set<string>();
    for (const gateway of gateways) {
      links.inc({ link: gateway.link });
      if (gateway.link === 'gone') continue;
      for (const { name, acknowledged, in_flight } of gateway.profiles) {
        served.add(name);
        inHand.inc({ profile: labelOf(name) }, in_flight);
        const wanted = profileRevisions.get(name);
        if (wanted === undefined) continue;
        unacknowledged.inc({ profile: name }, (acknowledged ?? -1) >= wanted ? 0 : 1);
      }
    }
    unserved.set(fleet.profiles.filter(({ name }) => !served.has(name)).length);
    const health = context.health();
    sweep.set(health.sweepAgeMs / 1_000);
    deaf.set(health.deaf.size);
    missed.inc(Math.max(0, health.unannounced - missedBefore));
    missedBefore = health.unannounced;
    rejected.set(context.configState().rejected.length);
    revision.set(newest);
    const counts = streamCounts();
    readers.set(counts.readers);
    pushed.inc(counts.sent - before.sent);
    dropped.inc({ why: 'gap' }, counts.gaps - before.gaps);
    dropped.inc({ why: 'slow' }, counts.dropped - before.dropped);
    dropped.inc({ why: 'gave-way' }, counts.evicted - before.evicted);
    for (const cap of CAPS) {
      turnedAway.inc({ cap }, counts.refused[cap] - (before.refused[cap] ?? 0));
    }
    before = counts;
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

/** A gateway says how many it has refused since it started; what is new in it, whoever restarts. */
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
      known.set(key, new Map(profiles.map(({ name, refused }) => [name, refused])));
    }
    for (const key of known.keys()) if (!present.has(key)) known.delete(key);
    return found;
  };
}

/** Seconds; what has no readable stamp has no age that could be claimed. */
function ageOf(since: string | null, nowMs: number): number {
  const ms = since === null ? Number.NaN : Date.parse(since);
  return Number.isNaN(ms) ? 0 : Math.max(0, (nowMs - ms) / 1_000);
}
