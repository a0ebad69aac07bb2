/**
 * A fake watcher for the gateway under test: it records hellos and acknowledgements, and pushes whatever
 * state a case wants, true or not. The disk is the authority, so all cases but those of the link run
 * beside a watcher that always pushes "free".
 */
import { mkdirSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  decodeFromGateway,
  encode,
  type FromGateway,
  type FromWatcher,
  HEARTBEAT_MS,
  lineReader,
  type StateHold,
} from '@fleet-estop/protocol';

export interface FalseWatcher {
  /** Profiles of all connected gateways. */
  linked(): readonly string[];
  /** Pushes a state of this profile as a new revision. Answers the revision. */
  say(profile: string, holds: readonly Pick<StateHold, 'scope' | 'id'>[]): number;
  hasAcknowledged(profile: string, revision: number): boolean;
  /** Closes every connection and the listener. */
  leave(): void;
}

const EPOCH = 'kit';

/** Listens on the watcher socket of this root. */
export async function falseWatcher(root: string): Promise<FalseWatcher> {
  const folder = join(root, '.fleet');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const linked = new Map<Socket, readonly string[]>();
  const sockets = new Set<Socket>();
  const acknowledged = new Set<string>();
  let revision = 1;

  const state = (
    profile: string,
    holds: readonly Pick<StateHold, 'scope' | 'id'>[],
  ): FromWatcher => {
    const engaged = holds.length > 0;
    const texts = { holder: 'kit', reason: null, since: null, expires_at: null };
    const full = holds.map((hold) => ({ ...hold, ...texts }));
    return { type: 'state', epoch: EPOCH, revision, profile, engaged, holds: full };
  };
  const hear = (socket: Socket, message: FromGateway): void => {
    if (message.type === 'ack') acknowledged.add(`${message.profile} ${message.revision}`);
    if (message.type !== 'hello') return;
    const profiles = message.profiles.map(({ name }) => name);
    linked.set(socket, profiles);
    for (const profile of profiles) socket.write(encode(state(profile, [])));
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    const reader = lineReader((line) => {
      try {
        hear(socket, decodeFromGateway(line));
      } catch {
        // Not a message of the protocol: drop the connection.
        socket.destroy();
      }
    });
    socket.on('data', (chunk) => {
      if (!reader.push(chunk)) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      linked.delete(socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(join(folder, 'watcher.sock'), resolve);
  });
  server.unref();
  const beat = setInterval(() => {
    for (const socket of linked.keys())
      socket.write(encode({ type: 'alive', epoch: EPOCH, revision }));
  }, HEARTBEAT_MS).unref();

  return {
    linked: () => [...linked.values()].flat(),
    say(profile, holds) {
      revision += 1;
      for (const [socket, profiles] of linked) {
        if (profiles.includes(profile)) socket.write(encode(state(profile, holds)));
      }
      return revision;
    },
    hasAcknowledged: (profile, of) => acknowledged.has(`${profile} ${of}`),
    leave() {
      clearInterval(beat);
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
