/**
 * The watcher's push over a real socket with made-up states, and a gateway that sends exactly what
 * a test wants.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GatewayView } from '@fleet-estop/protocol';
import {
  type Ack,
  type ConnectionRefusal,
  decodeFromWatcher,
  encode,
  type FromGateway,
  type FromWatcher,
  type Hello,
  lineReader,
  PROTOCOL,
  type State,
} from '@fleet-estop/protocol';
import { socket as schemas } from '@fleet-estop/protocol/schemas';
import { onTestFinished } from 'vitest';
import { startWaiting } from '../../../../test/support/until.ts';
import { type Gateways, type GatewaysOptions, gateways } from '../../src/push/gateways.ts';
import type { FleetEvent } from '../../src/state/event-log.ts';
import type { FleetState } from '../../src/state/fleet-state.ts';
import { createStore, type Snapshot, type Store } from '../../src/state/store.ts';
import { type LogLine, listeningLog } from './watched.ts';

export interface Pushing {
  readonly store: Store;
  readonly path: string;
  readonly all: Gateways;
  readonly events: readonly FleetEvent[];
  readonly log: readonly LogLine[];
  /** How often the fleet was to be looked at again. */
  looks(): number;
  /** By the clock of the push, which otherwise stands: a slow machine makes nobody stale. */
  pass(ms: number): void;
  /** The server's ends, in the order in which they connected. */
  readonly sockets: readonly Socket[];
  gateway(instance: string): GatewayView | undefined;
  /** Resolves with the first that is not undefined, now or later. */
  until<T>(find: (snapshot: Snapshot) => T | undefined): Promise<T>;
  /** Resolves with this gateway once it is in that state. */
  untilLink(instance: string, link: GatewayView['link']): Promise<GatewayView>;
}

export async function pushing(
  fleet: FleetState,
  options: Partial<GatewaysOptions> = {},
): Promise<Pushing> {
  const store = createStore(fleet);
  const events: FleetEvent[] = [];
  const log: LogLine[] = [];
  const sockets: Socket[] = [];
  const { wake, until: untilFound } = startWaiting();
  let looks = 0;
  let passedMs = 0;
  const all = gateways({
    store,
    log: listeningLog(log, wake),
    lookAgain() {
      looks += 1;
      wake();
    },
    clock: { now: Date.now, steadyMs: () => passedMs },
    // A test that wants a beat passes the time for it.
    heartbeatMs: 10,
    staleAfterMs: 6_000,
    ...options,
  });
  // After the push itself, so that whoever waits sees what it made of the state.
  store.subscribe((_snapshot, fresh) => {
    events.push(...fresh);
    wake();
  });
  const folder = mkdtempSync(join(tmpdir(), 'fleet-push-'));
  const path = join(folder, 'watcher.sock');
  const server = createServer((socket) => {
    all.accept(socket);
    sockets.push(socket);
    wake();
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(async () => {
    await all.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const until = <T>(find: (snapshot: Snapshot) => T | undefined): Promise<T> =>
    untilFound(() => find(store.snapshot()));
  const gateway = (instance: string) =>
    store.snapshot().gateways.find((view) => view.instance === instance);
  return {
    store,
    path,
    all,
    events,
    log,
    sockets,
    looks: () => looks,
    pass(ms) {
      passedMs += ms;
    },
    gateway,
    until,
    untilLink: (instance, link) =>
      until(() => {
        const view = gateway(instance);
        return view?.link === link ? view : undefined;
      }),
  };
}

export interface RawGateway {
  readonly socket: Socket;
  readonly heard: readonly FromWatcher[];
  /** The states that were heard of this profile, oldest first. */
  states(profile: string): readonly State[];
  /** Resolves with the newest state of this profile, once one fits. */
  state(profile: string, fits?: (state: State) => boolean): Promise<State>;
  refused(): Promise<ConnectionRefusal>;
  /** Resolves with the first that is not undefined, now or when something more is heard. */
  until<T>(find: () => T | undefined): Promise<T>;
  send(text: string | Uint8Array): void;
  say(message: FromGateway): void;
  /** Acknowledges this state, or what a test makes of it. */
  ack(state: State, changed?: Partial<Ack>): void;
  readonly closed: Promise<void>;
}

/** Connects, and says nothing by itself. */
export async function rawGateway(path: string): Promise<RawGateway> {
  const socket = connect(path);
  onTestFinished(() => void socket.destroy());
  const heard: FromWatcher[] = [];
  const { wake, until } = startWaiting();
  const reader = lineReader((line) => {
    schemas.fromWatcher.parse(JSON.parse(line));
    heard.push(decodeFromWatcher(line));
    wake();
  });
  socket.on('data', (chunk) => void reader.push(chunk as Buffer));
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const states = (profile: string) =>
    heard.filter((it): it is State => it.type === 'state' && it.profile === profile);
  const say = (message: FromGateway) => void socket.write(encode(message));
  return {
    socket,
    heard,
    closed,
    states,
    say,
    until,
    state: (profile, fits = () => true) =>
      until(() => {
        const newest = states(profile).at(-1);
        return newest !== undefined && fits(newest) ? newest : undefined;
      }),
    refused: () => until(() => heard.find((it): it is ConnectionRefusal => it.type === 'refused')),
    send: (text) => void socket.write(text),
    ack({ epoch, revision, profile }, changed) {
      say({ type: 'ack', epoch, revision, profile, in_flight: 0, ...changed });
    },
  };
}

export const helloOf = (
  instance: string,
  profiles: readonly string[],
  more: Partial<Hello> = {},
): Hello => ({
  type: 'hello',
  protocol: PROTOCOL,
  instance,
  pid: 4_242,
  software: 'sample/1.0',
  profiles: profiles.map((name) => ({ name, doors: ['turn'], in_flight: 0 })),
  ...more,
});

/** One that has said hello for these profiles. */
export async function greeted(
  { path }: Pick<Pushing, 'path'>,
  instance: string,
  profiles: readonly string[],
  more: Partial<Hello> = {},
): Promise<RawGateway> {
  const gateway = await rawGateway(path);
  gateway.say(helloOf(instance, profiles, more));
  return gateway;
}
