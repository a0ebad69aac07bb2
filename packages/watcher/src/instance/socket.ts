/**
 * The socket that gateways connect to. It belongs to the owner of the instance lock.
 * The protocol on it is `push/`.
 */
import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { changeIn, makeSocketIn } from '../as-owner-of.ts';

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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    makeSocketIn(folder, () => server.listen({ path: join(folder, staged), backlog: BACKLOG }));
  });
  // A failed accept (no descriptors left) affects one gateway, which reconnects.
  server.on('error', () => {});
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
      removeQuietly(folder, isAt);
    },
  };
}

/** Identity of the socket at this path; null: none. An inode number alone is soon reused. */
function socketAt(path: string): string | null {
  try {
    const found = lstatSync(path, { bigint: true });
    return found.isSocket() ? `${found.dev} ${found.ino} ${found.birthtimeNs}` : null;
  } catch {
    return null;
  }
}

function removeQuietly(folder: string, isOurs: (path: string) => boolean): void {
  try {
    changeIn(folder, (own) => {
      if (isOurs(join(own, SOCKET))) unlinkSync(join(own, SOCKET));
    });
  } catch {
    // Already gone, or not removable: nobody listens on it, so clients notice.
  }
}
