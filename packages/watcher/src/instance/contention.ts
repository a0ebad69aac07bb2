/**
 * Takes the single-instance lock: one watcher per root. The owner is the process whose entry lies
 * in the folder `.fleet/watcher.lock/`. A contender takes the lock by renaming a prepared folder
 * into place; the rename fails while an entry exists.
 * What these look like on disk is in `lock-folder.ts`; keeping the lock is `instance-lock.ts`.
 *
 * INVARIANT: an entry's name carries its maker's token, and a dead owner's entry is removed by that
 * name. A late takeover finds nothing to remove, so it can never remove a living successor's entry.
 * This prevents that two have the lock: with one known name, the slower of two that take over from a
 * dead owner would remove the new entry of the quicker.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { MAX_SOCKET_PATH } from '@fleet-estop/protocol';
import { codeOf, type Fate, failureOf, whyNoRoot } from '@fleet-estop/sentinel-core';
import { asOwnerOf } from '../as-owner-of.ts';
import {
  dropEntry,
  entryIn,
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

/** The lock was taken: the token of our entry, and the socket, still under its private name. */
export interface ClaimedLock {
  readonly acquired: true;
  readonly token: string;
  readonly socket: OwnSocket;
}

export type LockUnavailable =
  /** Another process owns it; `unknown`: it did, and may be gone. */
  | { readonly acquired: false; readonly owner: Owner; readonly fate: Exclude<Fate, 'gone'> }
  /** An errno, `socket-path-too-long`, or another problem with `.fleet/`. */
  | { readonly acquired: false; readonly owner: null; readonly why: string };

/**
 * `abandoned`: our own entries that a newer one replaced; a folder that was moved away may bring
 * one back. Throws only for bugs; a failed system call is an answer.
 */
export async function claimLock(
  root: string,
  connected: OnConnection,
  abandoned: ReadonlySet<string>,
): Promise<ClaimedLock | LockUnavailable> {
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
    const refused = await contend(folder, token, socket.staged, abandoned);
    if (refused === null) return { acquired: true, token, socket };
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
  abandoned: ReadonlySet<string>,
): Promise<LockUnavailable | null> {
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
    const fate = abandoned.has(entry.name) ? 'gone' : await fateOf(owner, folder);
    if (fate !== 'gone') return { acquired: false, owner, fate };
    dropEntry(folder, entry.name);
  }
  return { acquired: false, owner: null, why: code };
}
