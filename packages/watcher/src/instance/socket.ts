/**
 * The socket that gateways connect to. It belongs to the owner of the instance lock.
 * The protocol on it is `push/`.
 */

import { renameSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { changeIn, makeSocketIn } from '../as-owner-of.ts';
import { listening, removeQuietly, socketAt } from '../socket-name.ts';

export const SOCKET = 'watcher.sock';

/** When all gateways reconnect at once, they wait in this queue instead of being refused. */
const BACKLOG = 4_096;

export type OnConnection = (socket: Socket) => void;

export interface OwnSocket {
  /** Its name until it is published. */
  readonly staged: string;
  /** Takes the known name, replacing a stale socket. */
  publish(): void;
  /** Whether this socket still has the known name. */
  isPublished(): boolean;
  /** Removes the known name if it is ours, and accepts no more connections. */
  close(): void;
}

/**
 * Listens under a private name first and is then renamed, so that the known name always belongs to
 * a listening socket. Rejects with an errno if the folder cannot hold a socket.
 */
export async function ownSocket(
  folder: string,
  token: string,
  connected: OnConnection,
): Promise<OwnSocket> {
  // As short as the known name, so that one length check covers both.
  const staged = `s-${token}`;
  const known = join(folder, SOCKET);
  const server = createServer(connected);
  await listening(server, () => {
    makeSocketIn(folder, () => server.listen({ path: join(folder, staged), backlog: BACKLOG }));
  });
  const made = socketAt(join(folder, staged));
  const isAt = (path: string) => made !== null && socketAt(path) === made;
  const isPublished = () => isAt(known);
  return {
    staged,
    publish: () => changeIn(folder, (own) => renameSync(join(own, staged), join(own, SOCKET))),
    isPublished,
    close() {
      // Closing removes only the private name: a successor's socket stays.
      server.close();
      removeQuietly(folder, SOCKET, isAt);
    },
  };
}
