/**
 * Whether what is served can be believed, and whoever needs this watcher can reach it: it sees the
 * disk, saw it a moment ago, and its sockets stand where gateways and the fleet command look for them.
 *
 * Settings that were refused make nobody unready: the last good ones are in force, holds are seen as
 * before, and whoever restarts what is not ready would lose them. They are named all the same.
 */
import { unreadableIn } from '../state/fleet-state.ts';
import type { ServeContext, Served } from './context.ts';

/** A sweep is late on a busy machine; three in a row are not late, they do not come. */
const LATE_SWEEPS = 3;
const LATE_MS = 15_000;
/** Named; the rest is counted. */
const MAX_NAMED = 8;

export interface HealthView {
  readonly observe: string;
  /** What that comes to here: whose notices, and how many folders are polled. */
  readonly observing: { readonly notices: string | null; readonly polled: number };
  readonly sweep_ms: number;
  /** Since everything was last read, whatever made us read it. */
  readonly sweep_age_ms: number;
  /** Folders without notices: only the sweep sees them. At most eight of them are named. */
  readonly deaf: number;
  readonly deaf_some: readonly { readonly dir: string; readonly why: string }[];
  /** Changes that the sweep found and no notice had announced. */
  readonly unannounced: number;
  readonly journal_unreadable: string | null;
  /** Why no gateway and no second watcher finds this one: what is missing, and an errno. */
  readonly seat_missing: string | null;
  readonly http: Served;
}

export interface Readiness {
  readonly schema: 'fleet/ready/v1';
  readonly ready: boolean;
  /** Why not; empty where it is. */
  readonly blind: readonly string[];
  readonly epoch: string;
  readonly revision: number;
  readonly looked_at: string;
  /** Settings files that were refused, and what is in force instead. */
  readonly rejected: readonly {
    readonly path: string;
    readonly problems: readonly string[];
    readonly in_force: 'defaults' | 'last-good';
  }[];
  /** What could not be read. All of it counts as held, or is not claimed. */
  readonly unreadable: readonly { readonly what: string; readonly why: string }[];
  readonly health: HealthView;
}

export function healthOf(context: ServeContext, served: Served): HealthView {
  const {
    mode,
    observing,
    sweepMs,
    sweepAgeMs,
    deaf,
    unannounced,
    journalUnreadable,
    lockMissing,
  } = context.health();
  return {
    observe: mode,
    observing,
    sweep_ms: sweepMs,
    sweep_age_ms: Math.round(sweepAgeMs),
    deaf: deaf.size,
    deaf_some: [...deaf].slice(0, MAX_NAMED).map(([dir, why]) => ({ dir, why })),
    unannounced,
    journal_unreadable: journalUnreadable,
    seat_missing: lockMissing,
    http: served,
  };
}

export const rejectedIn = (context: ServeContext): Readiness['rejected'] =>
  context.configState().rejected.map(({ path, problems, inForce }) => ({
    path,
    problems,
    in_force: inForce,
  }));

export function readinessOf(context: ServeContext, served: Served): Readiness {
  const { epoch, revision, looked_at, fleet } = context.store.snapshot();
  const health = healthOf(context, served);
  const blind: string[] = [];
  if (fleet.unreadable !== null) blind.push(`the fleet cannot be listed: ${fleet.unreadable}`);
  if (health.sweep_age_ms > Math.max(LATE_MS, LATE_SWEEPS * health.sweep_ms)) {
    blind.push(`everything was last read ${Math.round(health.sweep_age_ms / 1_000)} s ago`);
  }
  if (health.seat_missing !== null) blind.push(`gateways cannot find it: ${health.seat_missing}`);
  if (health.http.socket === null) {
    const why = health.http.socket_refused ?? 'it was never there';
    blind.push(`the fleet command cannot ask it: http.sock: ${why}`);
  }
  return {
    schema: 'fleet/ready/v1',
    ready: blind.length === 0,
    blind,
    epoch,
    revision,
    looked_at,
    rejected: rejectedIn(context),
    unreadable: unreadableIn(fleet),
    health,
  };
}
