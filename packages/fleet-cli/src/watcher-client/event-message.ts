/**
 * Parses the messages of a watcher's event stream. The watcher is another process, so everything is checked.
 * Reading the stream is `event-stream.ts`.
 */

/** The envelope as received, and the keys that are used here. */
export interface FleetEvent {
  readonly envelope: Readonly<Record<string, unknown>>;
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The parts of a stream's initial state that are used here. */
export interface Snapshot {
  readonly profiles: readonly { readonly name: string; readonly engaged: boolean }[];
  /** The kinds of scope whose holds bind every profile. */
  readonly heldBy: readonly string[];
  /** How many things the watcher could not read: they count as held, or are missing here. */
  readonly unreadable: number;
  readonly gateways: readonly { readonly instance: string; readonly profiles: readonly string[] }[];
}

export type Message =
  | { readonly kind: 'event'; readonly event: FleetEvent }
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot }
  /** Events are missing between here and the next snapshot. */
  | { readonly kind: 'gap'; readonly after: string; readonly why: string }
  | { readonly kind: 'heartbeat'; readonly heartbeatMs: number }
  /** A kind that only later watchers know. */
  | { readonly kind: 'other' }
  /** It claims to be one of the above, and is not valid. */
  | { readonly kind: 'mistaken' };

/** The position of an event: the run of the watcher, and its revision in that run. */
export interface Position {
  readonly epoch: string;
  readonly revision: number;
}

const MISTAKEN: Message = { kind: 'mistaken' };
/** With longer heartbeats, a silent watcher would hardly ever be noticed. */
const MAX_HEARTBEAT_MS = 60_000;

export function parseMessage(name: string | undefined, text: string): Message {
  const body = objectIn(text);
  if (body === null) return MISTAKEN;
  switch (name) {
    case undefined:
    case 'message':
      return eventIn(body);
    case 'snapshot':
      return snapshotIn(body);
    case 'gap': {
      const { after, why } = body;
      return { kind: 'gap', after: textOr(after, ''), why: textOr(why, 'unknown') };
    }
    case 'heartbeat': {
      const { heartbeat_ms: ms } = body;
      if (typeof ms !== 'number' || !(ms >= 1 && ms <= MAX_HEARTBEAT_MS)) return MISTAKEN;
      return { kind: 'heartbeat', heartbeatMs: ms };
    }
    default:
      return { kind: 'other' };
  }
}

/** null: not a valid event id. */
export function parsePosition(id: string): Position | null {
  const [, epoch, digits] = /^([0-9a-z]{1,64})-([0-9]{1,15})$/.exec(id) ?? [];
  return epoch === undefined ? null : { epoch, revision: Number(digits) };
}

function eventIn(envelope: Readonly<Record<string, unknown>>): Message {
  const { specversion, id, type, subject, time, data } = envelope;
  if (specversion !== '1.0' || typeof id !== 'string' || parsePosition(id) === null) {
    return MISTAKEN;
  }
  if (typeof type !== 'string' || typeof subject !== 'string' || typeof time !== 'string') {
    return MISTAKEN;
  }
  if (!isObject(data)) return MISTAKEN;
  return { kind: 'event', event: { envelope, id, type, subject, time, data } };
}

function snapshotIn(state: Readonly<Record<string, unknown>>): Message {
  const { profiles, scopes, unreadable, gateways } = state;
  if (!Array.isArray(profiles) || !Array.isArray(gateways)) return MISTAKEN;
  if (!Array.isArray(scopes) || !Array.isArray(unreadable)) return MISTAKEN;
  const engagedStates: Snapshot['profiles'][number][] = [];
  for (const profile of profiles) {
    if (!isObject(profile)) return MISTAKEN;
    const { name, engaged } = profile;
    if (typeof name !== 'string' || typeof engaged !== 'boolean') return MISTAKEN;
    engagedStates.push({ name, engaged });
  }
  const known = gateways.filter(isObject).map(({ instance, profiles: served }) => ({
    instance: textOr(instance, ''),
    profiles: namesIn(served),
  }));
  const heldBy = scopes
    .filter(isObject)
    .flatMap(({ kind, engaged }) => (engaged === true ? [textOr(kind, '?')] : []));
  return {
    kind: 'snapshot',
    snapshot: { profiles: engagedStates, heldBy, unreadable: unreadable.length, gateways: known },
  };
}

/** Names in a list of texts, or of objects with a `name`. */
export function namesIn(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list
    .map((item) => (isObject(item) ? item['name'] : item))
    .filter((name) => typeof name === 'string');
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise;
