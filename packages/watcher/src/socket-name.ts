/**
 * A listening server, and the name of its unix socket. The watcher's sockets listen under a private
 * name and are renamed, so a known name always belongs to a listening socket.
 * What is said on a socket is for `push/` and `serve/`.
 */
import { lstatSync, unlinkSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { changeIn } from './as-owner-of.ts';

/** Rejects with an errno if it cannot listen. */
export function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      // A failed accept (no descriptors left) affects one client, which tries again.
      server.on('error', () => {});
      resolve();
    });
    listen();
  });
}

/** Identity of the socket at this path; null: none. An inode number alone is soon reused. */
export function socketAt(path: string): string | null {
  try {
    const found = lstatSync(path, { bigint: true });
    return found.isSocket() ? `${found.dev} ${found.ino} ${found.birthtimeNs}` : null;
  } catch {
    return null;
  }
}

/** Removes the name if `isOurs`. A name that stays is harmless: nobody listens there. */
export function removeQuietly(
  folder: string,
  name: string,
  isOurs: (path: string) => boolean,
): void {
  try {
    changeIn(folder, (own) => {
      if (isOurs(join(own, name))) unlinkSync(join(own, name));
    });
  } catch {
    // Already gone, or not ours to remove.
  }
}
