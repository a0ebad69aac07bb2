/**
 * One connected gateway: what it reports, and what it was sent.
 * What follows for the store and for other gateways is `gateways.ts`.
 */
import type { Socket } from 'node:net';
import type { GatewayProfileView, GatewayView, LinkState } from '@fleet-estop/protocol';
import {
  type Ack,
  type CutDone,
  decodeFromGateway,
  type FromGateway,
  type GatewayHeartbeat,
  type Goodbye,
  type Hello,
  lineReader,
  PROTOCOL,
  ProtocolError,
} from '@fleet-estop/protocol';
import { formatInstant } from '@fleet-estop/sentinel-core';
import { type CloseReason, closeWithReason } from './closing.ts';
import { type Outbox, outbox } from './outbox.ts';
import {
  type PendingAcknowledgements,
  pendingAcknowledgements,
} from './pending-acknowledgements.ts';

/** Wall time for people, and a monotonic clock for durations. */
export interface Clock {
  readonly now: () => number;
  readonly steadyMs: () => number;
}

/** Callbacks of a link. `onMessage` follows every message, heartbeats included. */
export interface LinkEvents {
  helloReceived(link: GatewayLink, first: boolean): void;
  acknowledged(link: GatewayLink, ack: Ack): void;
  cutDone(link: GatewayLink, done: CutDone): void;
  onMessage(link: GatewayLink): void;
  /** Called once; `why` is for people. `refused`: we ended it. */
  ended(link: GatewayLink, why: string, refused: CloseReason | null): void;
}

export interface GatewayLink {
  readonly outbox: Outbox;
  readonly pending: PendingAcknowledgements;
  /** null: no hello yet. */
  hello(): Hello | null;
  profiles(): ReadonlyMap<string, GatewayProfileView>;
  /** Monotonic: when the last message arrived, or when it connected. */
  lastMessageMs(): number;
  /** The gateway has applied this revision of the profile's state. */
  confirm(profile: string, revision: number): void;
  view(state: LinkState): GatewayView;
  /** Sends the reason and ends the connection. */
  refuse(reason: CloseReason): Promise<void>;
  /** Ends the connection without a message: the other side does not read. */
  drop(why: string): void;
}

export function gatewayLink(socket: Socket, events: LinkEvents, clock: Clock): GatewayLink {
  const { now, steadyMs } = clock;
  const openedAt = formatInstant(now());
  const served = new Map<string, GatewayProfileView>();
  const pending = pendingAcknowledgements(steadyMs);
  let lastHello: Hello | null = null;
  let heardMs = steadyMs();
  let lastMessageAt = now();
  let goodbye: Goodbye | null = null;
  let ended = false;
  let endedAt: string | null = null;

  const onHello = (hello: Hello): void => {
    if (hello.protocol !== PROTOCOL) {
      refuseProtocol(hello.protocol);
      return;
    }
    const first = lastHello === null;
    if (lastHello !== null && lastHello.instance !== hello.instance) {
      throw new ProtocolError('`instance` differs from the first hello');
    }
    if (lastHello !== null && lastHello.secret !== hello.secret) {
      throw new ProtocolError('`secret` differs from the first hello');
    }
    lastHello = hello;
    const before = new Map(served);
    served.clear();
    for (const { name, doors, in_flight } of hello.profiles) {
      const { refused = 0, acknowledged = null, acknowledged_at = null } = before.get(name) ?? {};
      served.set(name, { name, doors, in_flight, refused, acknowledged, acknowledged_at });
    }
    const names = new Set(served.keys());
    link.outbox.forgetAllBut(names);
    pending.forgetAllBut(names);
    events.helloReceived(link, first);
  };

  const onAck = (ack: Ack): void => {
    const profile = served.get(ack.profile);
    if (profile !== undefined) served.set(ack.profile, { ...profile, in_flight: ack.in_flight });
    events.acknowledged(link, ack);
  };

  const onHeartbeat = ({ profiles }: GatewayHeartbeat): void => {
    for (const { name, in_flight, refused } of profiles) {
      const profile = served.get(name);
      if (profile !== undefined) served.set(name, { ...profile, in_flight, refused });
    }
  };

  const handle = (message: FromGateway): void => {
    if (message.type === 'hello') onHello(message);
    else if (lastHello === null) throw new ProtocolError('the first message must be a `hello`');
    else if (message.type === 'ack') onAck(message);
    else if (message.type === 'cut-done') events.cutDone(link, message);
    else if (message.type === 'goodbye') goodbye = message;
    else onHeartbeat(message);
  };

  const refuseProtocol = (protocol: number): void => {
    const message = `protocol ${protocol} is not supported, only ${PROTOCOL}`;
    const hint = protocol < PROTOCOL ? 'update the gateway package' : 'update the watcher';
    void link.refuse({ code: 'protocol', message, hint });
  };

  const refuseLine = (line: string, error: ProtocolError): void => {
    // A message of another protocol version may look malformed to us.
    const protocol = lastHello === null ? protocolOf(line) : null;
    if (protocol !== null && protocol !== PROTOCOL) {
      refuseProtocol(protocol);
      return;
    }
    const hint = `this watcher uses protocol ${PROTOCOL}: update the older side`;
    void link.refuse({ code: 'malformed', message: error.message, hint });
  };

  const reader = lineReader((line) => {
    if (ended) return;
    heardMs = steadyMs();
    lastMessageAt = now();
    try {
      handle(decodeFromGateway(line));
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      refuseLine(line, error);
      return;
    }
    if (!ended) events.onMessage(link);
  });

  const end = (why: string, refused: CloseReason | null = null): void => {
    if (ended) return;
    ended = true;
    endedAt = formatInstant(now());
    events.ended(link, why, refused);
  };

  const link: GatewayLink = {
    outbox: outbox(socket, pending.sent, steadyMs),
    pending,
    hello: () => lastHello,
    profiles: () => served,
    lastMessageMs: () => heardMs,
    confirm(profile, revision) {
      const known = served.get(profile);
      if (known === undefined) return;
      const acknowledged_at = formatInstant(lastMessageAt);
      served.set(profile, { ...known, acknowledged: revision, acknowledged_at });
    },
    view: (state) => ({
      instance: lastHello?.instance ?? '?',
      pid: lastHello?.pid ?? 0,
      software: lastHello?.software ?? '?',
      ...selfDescription(lastHello),
      link: state,
      connected_at: openedAt,
      last_seen_at: formatInstant(lastMessageAt),
      gone_at: endedAt,
      ...farewell(goodbye),
      profiles: [...served.values()],
    }),
    refuse(reason) {
      end(reason.message, reason);
      return closeWithReason(socket, reason);
    },
    drop(why) {
      end(why);
      socket.destroy();
    },
  };

  socket.on('data', (chunk) => {
    if (ended || reader.push(chunk as Buffer)) return;
    const message = 'a line is too long or not UTF-8';
    void link.refuse({ code: 'too-long', message, hint: 'one message is at most 64 KiB' });
  });
  // It will send nothing more, so it cannot acknowledge anything.
  socket.on('end', () => {
    if (!ended) link.drop('it closed the connection');
  });
  socket.on('error', (error) => end(error.message));
  socket.on('close', () => end('the connection was closed'));
  return link;
}

type SelfDescription = Pick<GatewayView, 'mark' | 'unit' | 'features' | 'resume_spread_ms'>;

function selfDescription(hello: Hello | null): SelfDescription {
  const { mark, unit, features, resume_spread_ms } = hello ?? {};
  return {
    ...(mark === undefined ? {} : { mark }),
    ...(unit === undefined ? {} : { unit }),
    ...(features === undefined ? {} : { features }),
    ...(resume_spread_ms === undefined ? {} : { resume_spread_ms }),
  };
}

/** Counted: ids identify conversations, and everybody may read the list of gateways. */
function farewell(goodbye: Goodbye | null): Pick<GatewayView, 'closed' | 'cut'> {
  if (goodbye === null) return {};
  const counts = new Map<string, { profile: string; door: string; pieces: number }>();
  for (const { profile, door } of goodbye.cut) {
    const key = JSON.stringify([profile, door]);
    const pieces = (counts.get(key)?.pieces ?? 0) + 1;
    counts.set(key, { profile, door, pieces });
  }
  return { closed: 'on-purpose', cut: [...counts.values()] };
}

/** The protocol number of a hello, whatever else is in it; null: the line is no hello. */
function protocolOf(line: string): number | null {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== 'object' || parsed === null) return null;
    const { type, protocol } = parsed as { readonly type?: unknown; readonly protocol?: unknown };
    return type === 'hello' && typeof protocol === 'number' ? protocol : null;
  } catch {
    return null;
  }
}
