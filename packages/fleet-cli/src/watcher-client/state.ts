/**
 * Parses the watcher's state document, as far as acknowledgements need it; `ask-state.ts` asks for it.
 * Parsed by hand and strictly, because the watcher is another process and may be another version.
 * The watcher judges who has acknowledged; what the CLI adds to its verdicts is `account.ts`.
 */
import type { Scope } from '@fleet-estop/sentinel-core';

export type LinkState = (typeof LINKS)[number];

/**
 * The watcher's verdict on one gateway and the newest state of one profile. acknowledged: it is in force at the
 * gateway's doors. silent: connected, without that report. stale: silent, and no other message came for a
 * while. gone: it disconnected before it reported. unknown: an older watcher gives no verdict.
 */
export type AckStatus = (typeof STANDINGS)[number] | 'unknown';

/** A profile as one gateway serves it. */
export interface ServedProfile {
  readonly name: string;
  readonly inFlight: number;
  readonly ackStatus: AckStatus;
  /** The newest revision that it acknowledged, and so has in force at its doors; null: none. */
  readonly acknowledged: number | null;
  /** When it acknowledged, milliseconds since the epoch; null: unknown. */
  readonly acknowledgedAtMs: number | null;
}

export interface WatchedGateway {
  readonly instance: string;
  readonly pid: number;
  readonly software: string;
  readonly link: LinkState;
  /** When its last message came, milliseconds since the epoch; null: unknown. */
  readonly lastSeenAtMs: number | null;
  /** It is gone since a moment ago, and may be about to connect again. */
  readonly returning: boolean;
  /** Where its process id is valid; null: an older gateway does not say. */
  readonly pidNamespace: string | null;
  /** Over how many milliseconds it spreads catch-up work after a lift; null: it does not say. */
  readonly resumeSpreadMs: number | null;
  readonly profiles: readonly ServedProfile[];
}

export interface WatchedProfile {
  /** The revision at which its state last changed. */
  readonly revision: number;
  readonly engaged: boolean;
  /** Keys of the holds in its own scope. */
  readonly own: readonly string[];
}

export interface WatcherState {
  /** Identifies the watcher run; revisions of different runs cannot be compared. */
  readonly epoch: string;
  /** It has just started, so gateways of an earlier one may still be connecting. */
  readonly starting: boolean;
  readonly profiles: ReadonlyMap<string, WatchedProfile>;
  /** Keys of the holds in the scopes that bind every profile. */
  readonly shared: readonly string[];
  /** Why the watcher cannot list the profiles; null: it can. */
  readonly unlisted: string | null;
  readonly gateways: readonly WatchedGateway[];
}

/**
 * Contains the kind of scope, because a made-up id of an anonymous hold is unique only in its scope.
 * Well-formed Unicode, as the watcher sends it, because an id can be any text.
 */
export const holdKey = (kind: Scope['kind'], id: string): string =>
  `${kind} hold ${id.toWellFormed()}`;

/** Keys for the holds of a scope, and for the generation of its body. */
export const scopeKeys = (
  kind: Scope['kind'],
  generation: string | null,
  ids: readonly string[],
): string[] => [
  ...ids.map((id) => holdKey(kind, id)),
  ...(generation === null ? [] : [`${kind} body ${generation.toWellFormed()}`]),
];

/** null: not a valid state document. */
export function parseState(text: string): WatcherState | null {
  try {
    return stateIn(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof NotUnderstood) return null;
    throw error;
  }
}

class NotUnderstood extends Error {}

function stateIn(value: unknown): WatcherState {
  const document = object(value);
  if (document['schema'] !== 'fleet/state/v1') throw new NotUnderstood();
  const unreadable = list(document['unreadable']).map(object);
  const profiles = unreadable.find(({ what }) => what === 'profiles');
  const { starting } = document;
  const gateways = list(document['gateways']).map(gatewayIn);
  return {
    epoch: text(document['epoch']),
    starting: truth(starting ?? false),
    profiles: new Map(list(document['profiles']).map(profileIn)),
    shared: list(document['scopes']).flatMap(keysIn),
    unlisted: profiles === undefined ? null : text(profiles['why']),
    gateways: starting === undefined ? gateways.map(unjudged) : gateways,
  };
}

/** INVARIANT 12: the verdict of a watcher that does not say whether it knows all gateways is not used. */
const unjudged = (gateway: WatchedGateway): WatchedGateway => ({
  ...gateway,
  profiles: gateway.profiles.map((served) => ({ ...served, ackStatus: 'unknown' })),
});

function profileIn(value: unknown): [string, WatchedProfile] {
  const profile = object(value);
  const own = profile['own'] === null ? [] : keysIn(profile['own']);
  const revision = whole(profile['revision']);
  return [text(profile['name']), { revision, engaged: truth(profile['engaged']), own }];
}

const KINDS = ['profile', 'root', 'cluster'] as const;

function keysIn(value: unknown): string[] {
  const scope = object(value);
  const { generation } = scope;
  const ids = list(scope['holds']).map((hold) => text(object(hold)['id']));
  return scopeKeys(oneOf(KINDS, scope['kind']), generation === null ? null : text(generation), ids);
}

const LINKS = ['connected', 'acknowledged', 'stale', 'gone'] as const;
const STANDINGS = ['acknowledged', 'silent', 'stale', 'gone'] as const;

function gatewayIn(value: unknown): WatchedGateway {
  const gateway = object(value);
  const link = oneOf(LINKS, gateway['link']);
  // INVARIANT 2: a gateway that an older watcher says nothing of may return.
  const { returning = link === 'gone', resume_spread_ms: spread } = gateway;
  return {
    instance: text(gateway['instance']),
    pid: whole(gateway['pid']),
    software: text(gateway['software']),
    link,
    lastSeenAtMs: instantIn(gateway['last_seen_at']),
    returning: truth(returning),
    pidNamespace: namespaceIn(gateway['mark']),
    resumeSpreadMs: spread === undefined ? null : whole(spread),
    profiles: list(gateway['profiles']).map(servedIn),
  };
}

function namespaceIn(mark: unknown): string | null {
  if (mark === undefined || mark === null) return null;
  const { pid_ns: pids } = object(mark);
  return typeof pids === 'string' && pids !== '' ? pids : null;
}

function servedIn(value: unknown): ServedProfile {
  const served = object(value);
  const { acknowledged, acknowledged_at: at, standing } = served;
  return {
    name: text(served['name']),
    inFlight: whole(served['in_flight']),
    // INVARIANT 12: a missing verdict is not an acknowledgement.
    ackStatus: standing === undefined ? 'unknown' : oneOf(STANDINGS, standing),
    acknowledged: acknowledged === null ? null : whole(acknowledged),
    acknowledgedAtMs: instantIn(at),
  };
}

/** Older watchers do not send every time. */
function instantIn(value: unknown): number | null {
  const atMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}

function object(value: unknown): { readonly [key: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NotUnderstood();
  return value as { readonly [key: string]: unknown };
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new NotUnderstood();
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new NotUnderstood();
  return value;
}

function truth(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new NotUnderstood();
  return value;
}

function whole(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new NotUnderstood();
  return value as number;
}

function oneOf<T>(known: readonly T[], value: unknown): T {
  const found = known.find((word) => word === value);
  if (found === undefined) throw new NotUnderstood();
  return found;
}
