/**
 * The socket that gateways connect to, owned by whoever has the seat.
 * What is said on it is for `push/`.
 */
import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { makeSocketIn } from '../as-owner-of.ts';

export const SOCKET = 'watcher.sock';

/** Gateways that come again all at once wait for their turn, instead of being sent away. */
const BACKLOG = 4_096;

export type OnConnection = (socket: Socket) => void;

export interface OwnSocket {
  /** The name it has until it is published. */
  readonly staged: string;
  /** Takes the known name, whatever stale socket lay there. */
  publish(): void;
  /** Is it still what stands under the known name? */
  isPublished(): boolean;
  /** Takes the known name away, where it is ours, and accepts nobody any more. */
  close(): void;
}

/**
 * Listens under a name of its own, so that the known name is only ever a listening socket: it gets
 * there by a rename. Rejects with an errno where this folder cannot hold a socket.
 */
export async function ownSocket(
  folder: string,
  token: string,
  connected: OnConnection,
): Promise<OwnSocket> {
  // Not longer than the known name, so that one check of its length covers both.
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
  // A failed accept (no descriptors left) is one gateway's: it comes again.
  server.on('error', () => {});
  const made = socketAt(join(folder, staged));
  const isPublished = () => made !== null && socketAt(known) === made;
  return {
    staged,
    publish: () => renameSync(join(folder, staged), known),
    isPublished,
    close() {
      // Closing removes the staged name, and only that: a successor's socket stays.
      server.close();
      if (isPublished()) unlinkQuietly(known);
    },
  };
}

/** Names the socket there; null: there is none. A number of an inode alone is soon another's. */
function socketAt(path: string): string | null {
  try {
    const found = lstatSync(path, { bigint: true });
    return found.isSocket() ? `${found.dev} ${found.ino} ${found.birthtimeNs}` : null;
  } catch {
    return null;
  }
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Not there any more, or not to be removed: then nobody is behind it, which says enough.
  }
}
