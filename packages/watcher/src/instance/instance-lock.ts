/**
 * The single-instance lock: one watcher per root. The owner is the process whose entry lies in the
 * folder `.fleet/watcher.lock/`. A contender takes the lock by renaming a prepared folder into
 * place; the rename fails while an entry exists.
 * What these look like on disk is in `lock-folder.ts`.
 *
 * INVARIANT: an entry's name carries its maker's token, and a dead owner's entry is removed by that
 * name. A late takeover finds nothing to remove, so it can never remove a living successor's entry.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, type Fate, failureOf, whyNoRoot } from '@fleet-estop/sentinel-core';
import { MAX_SOCKET_PATH } from '@fleet-estop/wire';
import { asOwnerOf } from '../as-owner-of.ts';
import {
  dropEntry,
  dropLock,
  entryIn,
  entryName,
  fleetFolder,
  LOCK,
  makeFleetFolder,
  promote,
  stage,
  sweep,
  unstage,
} from './lock-folder.ts';
import { fateOf, type Owner, ourselves, parseOwner } from './owner.ts';
import { type OnConnection, type OwnSocket, ownSocket, SOCKET } from './socket.ts';

/** In each round another contender made progress, or removed what we prepared. */
const MAX_ROUNDS = 8;
export interface InstanceLock {
  /** The socket that gateways connect to, once `open` was called. */
  readonly socketPath: string;
  /** Puts the socket under its known name: the watcher is ready. */
  open(): void;
  /**
   * Checks that the lock is still ours. Takes it again if it only vanished (the root was replaced).
   */
  keep(): Promise<LockAttempt>;
  /** What is missing of the lock or the socket right now; null: nothing. */
  missing(): string | null;
  leave(): void;
}

export type LockAttempt =
  | { readonly acquired: true; readonly instanceLock: InstanceLock }
  /** Another process owns it; `unknown`: it did, and may be gone. */
  | { readonly acquired: false; readonly owner: Owner; readonly fate: Exclude<Fate, 'gone'> }
  /** An errno, `socket-path-too-long`, or another problem with `.fleet/`. */
  | { readonly acquired: false; readonly owner: null; readonly why: string };

/** Our own entries that a newer lock replaced: a folder that was moved away may bring one back. */
const abandonedEntries = new Set<string>();

/** Throws only for bugs; a failed system call is an answer. */
export async function takeInstanceLock(
  root: string,
  connected: OnConnection,
): Promise<LockAttempt> {
  const folder = fleetFolder(root);
  if (Buffer.byteLength(join(folder, SOCKET)) > MAX_SOCKET_PATH) {
    return { acquired: false, owner: null, why: 'socket-path-too-long' };
  }
  // Our own `.fleet/` must not turn a folder that replaced the root into a root.
  const why = whyNoRoot(root);
  if (why !== null) return { acquired: false, owner: null, why };
  const token = randomBytes(4).toString('hex');
  let socket: OwnSocket | undefined;
  try {
    makeFleetFolder(root);
    socket = await ownSocket(folder, token, connected);
    const refused = await contend(folder, token, socket.staged);
    if (refused === null)
      return { acquired: true, instanceLock: lockAt(root, token, socket, connected) };
    socket.close();
    return refused;
  } catch (error) {
    socket?.close();
    return { acquired: false, owner: null, why: codeOf(error) };
  } finally {
    failureOf(() => asOwnerOf(folder, () => unstage(folder, token)));
  }
}

/** The owner of this root's lock; null: none. */
export function ownerOf(root: string): Owner | 'unreadable' | null {
  const entry = entryIn(join(fleetFolder(root), LOCK));
  return entry === null ? null : (parseOwner(entry.text) ?? 'unreadable');
}

/** null: the lock is ours. */
async function contend(
  folder: string,
  token: string,
  staged: string,
): Promise<Extract<LockAttempt, { acquired: false }> | null> {
  const lock = join(folder, LOCK);
  let code = '';
  for (let round = 0; round < MAX_ROUNDS; round++) {
    asOwnerOf(folder, () => stage(folder, token, ourselves(folder, [staged, SOCKET])));
    code = promote(folder, token);
    if (code === '') {
      asOwnerOf(folder, () => sweep(folder));
      return null;
    }
    const entry = entryIn(lock);
    if (entry === null) continue;
    const owner = parseOwner(entry.text);
    if (owner === null) return { acquired: false, owner: null, why: 'lock-unreadable' };
    const fate = abandonedEntries.has(entry.name) ? 'gone' : await fateOf(owner, folder);
    if (fate !== 'gone') return { acquired: false, owner, fate };
    dropEntry(folder, entry.name);
  }
  return { acquired: false, owner: null, why: code };
}

function lockAt(
  root: string,
  token: string,
  first: OwnSocket,
  connected: OnConnection,
): InstanceLock {
  const folder = fleetFolder(root);
  const entry = join(folder, LOCK, entryName(token));
  let socket = first;
  let opened = false;
  const instanceLock: InstanceLock = {
    socketPath: join(folder, SOCKET),
    open() {
      socket.publish();
      opened = true;
    },
    async keep() {
      if (!existsSync(entry)) {
        const again = await takeInstanceLock(root, connected);
        // Keep listening until then: the old folder may come back with our entry in it.
        if (!again.acquired) return again;
        abandonedEntries.add(entryName(token));
        if (opened) again.instanceLock.open();
        // Connections that exist stay open.
        socket.close();
        return again;
      }
      try {
        if (opened && !socket.isPublished()) {
          const fresh = await ownSocket(folder, randomBytes(4).toString('hex'), connected);
          socket.close();
          socket = fresh;
          socket.publish();
        }
        return { acquired: true, instanceLock };
      } catch (error) {
        return { acquired: false, owner: null, why: codeOf(error) };
      }
    },
    missing() {
      const lost = failureOf(() => void lstatSync(entry));
      if (lost !== '') return `${LOCK}: ${lost}`;
      // Another process's socket, or something else, has its name.
      const why = failureOf(() => void lstatSync(join(folder, SOCKET))) || 'EADDRINUSE';
      return socket.isPublished() ? null : `${SOCKET}: ${why}`;
    },
    leave() {
      socket.close();
      dropEntry(folder, entryName(token));
      dropLock(folder);
    },
  };
  return instanceLock;
}
