/** A watcher that sends exactly what a test wants, over a real socket. */

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  type Ack,
  decodeFromGateway,
  encode,
  type FromGateway,
  type FromWatcher,
  type Hello,
  lineReader,
  type State,
  type StateHold,
} from '@fleet-estop/protocol';
import { socket as schemas } from '@fleet-estop/protocol/schemas';
import { onTestFinished } from 'vitest';
import { startWaiting } from '../../../../test/support/until.ts';

export interface Caller {
  readonly socket: Socket;
  readonly heard: readonly FromGateway[];
  say(...messages: FromWatcher[]): void;
  send(text: string): void;
  hello(): Promise<Hello>;
  acks(): readonly Ack[];
  /** Resolves when it has acknowledged this revision. */
  ack(revision: number): Promise<Ack>;
  until<T>(find: () => T | undefined): Promise<T>;
  readonly closed: Promise<void>;
}

export interface SaidWatcher {
  /** The next connection that was not returned yet. */
  caller(): Promise<Caller>;
  /** Number of connections so far. */
  calls(): number;
  stop(): Promise<void>;
}

/** Listens on the watcher socket of this root. */
export async function saidWatcher(root: string): Promise<SaidWatcher> {
  const folder = join(root, '.fleet');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'watcher.sock');
  rmSync(path, { force: true });
  const callers: Caller[] = [];
  const sockets = new Set<Socket>();
  let calls = 0;
  let wake = () => {};
  const server: Server = createServer((socket) => {
    calls += 1;
    sockets.add(socket);
    callers.push(callerOf(socket));
    wake();
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    if (existsSync(path)) rmSync(path);
  };
  onTestFinished(stop);
  return {
    calls: () => calls,
    stop,
    async caller() {
      for (;;) {
        const found = callers.shift();
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function callerOf(socket: Socket): Caller {
  const heard: FromGateway[] = [];
  const { wake, until } = startWaiting();
  const reader = lineReader((line) => {
    schemas.fromGateway.parse(JSON.parse(line));
    heard.push(decodeFromGateway(line));
    wake();
  });
  socket.on('data', (chunk) => void reader.push(chunk as Buffer));
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });
  const acks = () => heard.filter((it): it is Ack => it.type === 'ack');
  return {
    socket,
    heard,
    closed,
    until,
    acks,
    say: (...messages) => void socket.write(messages.map(encode).join('')),
    send: (text) => void socket.write(text),
    hello: () => until(() => heard.findLast((it): it is Hello => it.type === 'hello')),
    ack: (revision) => until(() => acks().find((ack) => ack.revision === revision)),
  };
}

export const alive: FromWatcher = { type: 'alive', epoch: 'e1', revision: 1 };

/** A state of this profile: held by these holds, or free. */
export const stateOf = (
  profile: string,
  revision: number,
  ...holds: readonly (Partial<StateHold> & Pick<StateHold, 'id'>)[]
): State => ({
  type: 'state',
  epoch: 'e1',
  revision,
  profile,
  engaged: holds.length > 0,
  holds: holds.map((it) => ({
    scope: 'profile',
    holder: 'operator',
    reason: null,
    since: null,
    expires_at: null,
    ...it,
  })),
});
