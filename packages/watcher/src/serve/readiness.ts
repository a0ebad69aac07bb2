/**
 * Whether the served state can be trusted and the watcher can be reached: it can read the disk, has
 * done so recently, and its sockets are where gateways and the fleet command look for them.
 *
 * Rejected settings do not make the watcher unready, though they are listed: the last good ones are
 * in force and holds are seen as before, but a supervisor that restarts an unready watcher would
 * lose those settings.
 */
import type {
  HealthView,
  HttpAddresses,
  ReadyDocument,
  RejectedSettings,
} from '@fleet-estop/protocol';
import { unreadableIn } from '../state/fleet-state.ts';
import type { ServeContext } from './context.ts';

/** One late sweep is normal on a busy machine; after three the watcher has stopped sweeping. */
const LATE_SWEEPS = 3;
const LATE_MS = 15_000;
/** Maximum number of named folders; the rest is only counted. */
const MAX_NAMED = 8;

export function healthOf(context: ServeContext, served: HttpAddresses): HealthView {
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

export const rejectedIn = (context: ServeContext): readonly RejectedSettings[] =>
  context.configState().rejected.map(({ path, problems, inForce }) => ({
    path,
    problems,
    in_force: inForce,
  }));

export function readinessOf(context: ServeContext, served: HttpAddresses): ReadyDocument {
  const { epoch, revision, looked_at, fleet } = context.store.snapshot();
  const health = healthOf(context, served);
  const blind: string[] = [];
  if (fleet.unreadable !== null) blind.push(`the fleet cannot be listed: ${fleet.unreadable}`);
  if (health.sweep_age_ms > Math.max(LATE_MS, LATE_SWEEPS * health.sweep_ms)) {
    blind.push(`the last full look was ${Math.round(health.sweep_age_ms / 1_000)} s ago`);
  }
  if (health.seat_missing !== null)
    blind.push(`gateways cannot find the watcher: ${health.seat_missing}`);
  if (health.http.socket === null) {
    const why = health.http.socket_refused ?? 'not created';
    blind.push(`the fleet command cannot reach the watcher: http.sock: ${why}`);
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
