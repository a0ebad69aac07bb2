/**
 * The one judge of acknowledgement: for each profile which gateways have acknowledged its newest
 * state, and which have not. The CLI, the dashboard and the metrics take its verdicts.
 * Which acknowledgements are believed is `push/`. Whether the state on disk is the one that the
 * watcher has seen, and whether a gateway is expected, is for the reader of the verdict.
 */
import type {
  Acknowledgement,
  GatewayProfileView,
  GatewayView,
  JudgedGateway,
  LinkState,
} from '@fleet-estop/protocol';
import type { Snapshot } from './store.ts';

/**
 * acknowledged: the newest state of the profile is in force at its doors, as it reported. silent:
 * connected, without that report. stale: silent, and no other message came for a while. gone: it
 * disconnected before it reported. A gateway that disconnected afterwards has acknowledged, and its
 * link is gone.
 */
type Standing = JudgedGateway['profiles'][number]['standing'];

/** The fields of a snapshot that a verdict depends on. */
export type Evidence = Pick<Snapshot, 'starting' | 'profileRevisions' | 'gateways'> & {
  readonly fleet: Pick<Snapshot['fleet'], 'shared' | 'profiles' | 'unreadable'>;
};

/** A later revision includes an earlier one. null: never acknowledged, or the state is unknown. */
export const includes = (acknowledged: number | null, newest: number | null): boolean =>
  acknowledged !== null && newest !== null && acknowledged >= newest;

/** Answers the gateways with their standing, and the verdict on each profile of the fleet. */
export function judge({ fleet, starting, profileRevisions, gateways }: Evidence) {
  const here = new Set(gateways.filter(isConnected).map(processOf));
  const none = { connected: 0, acknowledged: 0, returning: false };
  const tallies = new Map(fleet.profiles.map(({ name }) => [name, { ...none }]));
  const judged = gateways.map((gateway): JudgedGateway => {
    const returning = gateway.returning === true && !here.has(processOf(gateway));
    const profiles = gateway.profiles.map((served) => {
      const standing = standingOf(gateway.link, served, profileRevisions.get(served.name));
      const tally = tallies.get(served.name);
      if (tally !== undefined && isConnected(gateway)) {
        tally.connected += 1;
        if (standing === 'acknowledged') tally.acknowledged += 1;
      }
      if (tally !== undefined && returning) tally.returning = true;
      return { ...served, standing };
    });
    return { ...gateway, returning, profiles };
  });
  const isLost = isUnreadable(fleet);
  const verdicts = new Map<string, Acknowledgement>();
  for (const [name, { returning, ...counts }] of tallies) {
    const isLacking = counts.acknowledged < counts.connected;
    let why: Acknowledgement['why'] = null;
    if (isLost) why = 'fleet-unreadable';
    // Whoever else comes, one has not acknowledged.
    else if (isLacking) why = null;
    else if (starting) why = 'watcher-starting';
    else if (returning) why = 'gateway-returning';
    let verdict: Acknowledgement['verdict'] = 'acknowledged';
    if (why !== null) verdict = 'unknown';
    else if (isLacking) verdict = 'not-acknowledged';
    else if (counts.connected === 0) verdict = 'unserved';
    verdicts.set(name, { verdict, why, ...counts });
  }
  return { gateways: judged, profiles: verdicts };
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
