/**
 * Keeps the single-instance lock while the watcher runs. Another process may take it while we are
 * stopped, and it may vanish with the root.
 * How the lock is taken is in `contention.ts`.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, failureOf } from '@fleet-estop/sentinel-core';
import { claimLock, type LockUnavailable } from './contention.ts';
import { dropEntry, dropLock, entryName, fleetFolder, LOCK } from './lock-folder.ts';
import { type OnConnection, ownSocket, SOCKET } from './socket.ts';

export interface InstanceLock {
  /** The socket that gateways connect to, once `open` was called. */
  readonly socketPath: string;
  /** Resolves when another process owns the lock. */
  readonly lockLost: Promise<LockUnavailable>;
  /** Puts the socket under its known name: the watcher is ready. */
  open(): void;
  /** Takes the lock again if it only vanished (the root was replaced). Called at every sweep. */
  check(): Promise<void>;
  /** Why nobody can find this watcher right now; null: they can. */
  missing(): string | null;
  leave(): void;
}

export type LockAttempt =
  | { readonly acquired: true; readonly instanceLock: InstanceLock }
  | LockUnavailable;

/**
 * `cannotRetake` is called once for each reason why the lock cannot be taken again. Throws only for
 * bugs; a failed system call is an answer.
 */
export async function takeInstanceLock(
  root: string,
  connected: OnConnection,
  cannotRetake: (why: string) => void = () => {},
): Promise<LockAttempt> {
  const abandoned = new Set<string>();
  const claimed = await claimLock(root, connected, abandoned);
  if (!claimed.acquired) return claimed;

  const folder = fleetFolder(root);
  let { token, socket } = claimed;
  let opened = false;
  let left = false;
  let checking = false;
  let reportedWhy = '';
  let reportLost: (to: LockUnavailable) => void = () => {};
  const lockLost = new Promise<LockUnavailable>((resolve) => {
    reportLost = resolve;
  });
  const entry = () => join(folder, LOCK, entryName(token));

  /** null: the lock and its socket are ours. */
  const restore = async (): Promise<LockUnavailable | null> => {
    if (!existsSync(entry())) {
      const again = await claimLock(root, connected, abandoned);
      // Keep listening until then: the old folder may come back with our entry in it.
      if (!again.acquired) return again;
      abandoned.add(entryName(token));
      if (opened) again.socket.publish();
      // Connections that exist stay open.
      socket.close();
      ({ token, socket } = again);
      return null;
    }
    try {
      if (opened && !socket.isPublished()) {
        const fresh = await ownSocket(folder, randomBytes(4).toString('hex'), connected);
        socket.close();
        socket = fresh;
        socket.publish();
      }
      return null;
    } catch (error) {
      return { acquired: false, owner: null, why: codeOf(error) };
    }
  };
  const notThere = (): string | null => {
    const lost = failureOf(() => void lstatSync(entry()));
    if (lost !== '') return `${LOCK}: ${lost}`;
    // Another process's socket, or something else, has its name.
    const why = failureOf(() => void lstatSync(join(folder, SOCKET))) || 'EADDRINUSE';
    return socket.isPublished() ? null : `${SOCKET}: ${why}`;
  };
  const release = () => {
    socket.close();
    dropEntry(folder, entryName(token));
    dropLock(folder);
  };

  const instanceLock: InstanceLock = {
    socketPath: join(folder, SOCKET),
    lockLost,
    open() {
      socket.publish();
      opened = true;
    },
    async check() {
      if (checking || left) return;
      checking = true;
      const lost = await restore();
      checking = false;
      if (lost === null) {
        reportedWhy = '';
        // We left while it was being taken again.
        if (left) release();
      } else if (lost.owner !== null) {
        reportLost(lost);
      } else if (reportedWhy !== lost.why) {
        reportedWhy = lost.why;
        cannotRetake(lost.why);
      }
    },
    missing() {
      const what = notThere();
      return what === null || reportedWhy === ''
        ? what
        : `${what}; it cannot be recreated: ${reportedWhy}`;
    },
    leave() {
      left = true;
      release();
    },
  };
  return { acquired: true, instanceLock };
}
