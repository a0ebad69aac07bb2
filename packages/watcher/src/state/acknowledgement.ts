/**
 * The one judge of acknowledgement: for each profile which gateways have acknowledged its newest
 * state, and which have not. The CLI, the dashboard and the metrics only show its verdicts.
 * Which acknowledgements are believed is `push/`. Whether the state on disk is the one that the
 * watcher has seen, and whether a gateway is expected, is for the reader of the verdict.
 */
import type { GatewayProfileView, GatewayView, LinkState } from './gateway-view.ts';
import type { Snapshot } from './store.ts';

/**
 * acknowledged: the newest state of the profile is in force at its doors, as it reported. silent:
 * connected, without that report. stale: silent, and no other message came for a while. gone: it
 * disconnected before it reported. A gateway that disconnected afterwards has acknowledged, and its
 * link is gone.
 */
export type Standing = 'acknowledged' | 'silent' | 'stale' | 'gone';

export interface JudgedGateway extends GatewayView {
  /** It disconnected a moment ago and may connect again, so nobody can say that it is gone. */
  readonly returning: boolean;
  readonly profiles: readonly (GatewayProfileView & { readonly standing: Standing })[];
}

/** The verdict on one profile. */
export interface Acknowledgement {
  /**
   * acknowledged: by every connected gateway, and there is one. not-acknowledged: a connected one
   * has not. unserved: no gateway is connected. unknown: one may be about to connect again, or the
   * fleet cannot be read.
   */
  readonly verdict: 'acknowledged' | 'not-acknowledged' | 'unserved' | 'unknown';
  /** Connected gateways that serve it. */
  readonly connected: number;
  /** How many of them have acknowledged. */
  readonly acknowledged: number;
}

export interface Verdicts {
  readonly gateways: readonly JudgedGateway[];
  /** By name, profiles outside the fleet included. */
  readonly profiles: ReadonlyMap<string, Acknowledgement>;
}

/** The fields of a snapshot that a verdict depends on. */
export type Evidence = Pick<Snapshot, 'profileRevisions' | 'gateways'> & {
  readonly fleet: Pick<Snapshot['fleet'], 'shared' | 'profiles' | 'unreadable'>;
};

/** A later revision includes an earlier one. null: never acknowledged, or the state is unknown. */
export const includes = (acknowledged: number | null, newest: number | null): boolean =>
  acknowledged !== null && newest !== null && acknowledged >= newest;

export function judge({ fleet, profileRevisions, gateways }: Evidence): Verdicts {
  const isLost = isUnreadable(fleet);
  const here = new Set(gateways.filter(isConnected).map(processOf));
  const profiles = new Map(fleet.profiles.map(({ name }) => [name, verdictOn(isLost, [])]));
  const serving = new Map<string, Served[]>();
  const judged = gateways.map((gateway): JudgedGateway => {
    const returning = gateway.returning === true && !here.has(processOf(gateway));
    const served = gateway.profiles.map((profile) => {
      const standing = standingOf(gateway.link, profile, profileRevisions.get(profile.name));
      const known = serving.get(profile.name);
      const one = { standing, returning, connected: isConnected(gateway) };
      if (known === undefined) serving.set(profile.name, [one]);
      else known.push(one);
      return { ...profile, standing };
    });
    return { ...gateway, returning, profiles: served };
  });
  for (const [name, all] of serving) profiles.set(name, verdictOn(isLost, all));
  return { gateways: judged, profiles };
}

interface Served {
  readonly standing: Standing;
  readonly returning: boolean;
  readonly connected: boolean;
}

function verdictOn(isLost: boolean, all: readonly Served[]): Acknowledgement {
  const here = all.filter(({ connected }) => connected);
  const acknowledged = here.filter(({ standing }) => standing === 'acknowledged').length;
  const counts = { connected: here.length, acknowledged };
  if (isLost) return { verdict: 'unknown', ...counts };
  if (acknowledged < here.length) return { verdict: 'not-acknowledged', ...counts };
  if (all.some(({ returning }) => returning)) return { verdict: 'unknown', ...counts };
  return { verdict: here.length === 0 ? 'unserved' : 'acknowledged', ...counts };
}

/**
 * `newest`: the revision of the profile's newest state; undefined: it is not a profile of this
 * fleet. Holds of the root bind it too, and `link` says whether the gateway has acknowledged all
 * that it was sent.
 */
function standingOf(
  link: LinkState,
  { acknowledged }: GatewayProfileView,
  newest: number | undefined,
): Standing {
  const isCurrent = newest === undefined ? link === 'acknowledged' : includes(acknowledged, newest);
  if (isCurrent) return 'acknowledged';
  // It has acknowledged an older revision.
  return link === 'connected' || link === 'acknowledged' ? 'silent' : link;
}

/** The profiles show their last known state, so acknowledgements mean nothing. */
const isUnreadable = ({ unreadable, shared }: Evidence['fleet']): boolean =>
  unreadable !== null && shared.some((scope) => scope.kind === 'root' && scope.unreadable !== null);

const isConnected = ({ link }: GatewayView): boolean => link !== 'gone';

const processOf = ({ instance, pid }: GatewayView): string => JSON.stringify([instance, pid]);
