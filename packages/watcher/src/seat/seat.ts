/**
 * One watcher per root: whoever has the folder `.fleet/watcher.lock/` with one entry of its own in
 * it. Taken by renaming a prepared folder into place, which fails while there is an entry.
 *
 * INVARIANT: an entry's name carries its maker's token, and a dead owner's entry is removed by that
 * name. So a takeover that comes late finds nothing, and can never remove a living successor's.
 */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Fate } from '@fleet-estop/liveness';
import { MAX_SOCKET_PATH } from '@fleet-estop/wire';
import { asOwnerOf } from '../as-owner-of.ts';
import { fateOf, type Owner, ourselves, parseOwner } from './owner.ts';
import { type OnConnection, type OwnSocket, ownSocket, SOCKET } from './socket.ts';

export const LOCK = 'watcher.lock';
const STAGE = '.watcher.lock-';
const ENTRY = 'owner-';
/** Each round somebody else made progress, or removed what we prepared. */
const MAX_ROUNDS = 8;
const LEFTOVER_MS = 60_000;
/** Ours have a few hundred. */
const MAX_RECORD_BYTES = 16_384;

export interface Seat {
  /** The socket that gateways know, once `open` was called. */
  readonly socketPath: string;
  /** Ready: from now on the socket stands under its name. */
  open(): void;
  /** Is the seat still ours? Takes it again where it only vanished (the root was replaced). */
  keep(): Promise<SeatTaken>;
  /** What of it is missing right now, so that nobody finds us; null: nothing. */
  missing(): string | null;
  leave(): void;
}

export type SeatTaken =
  | { readonly taken: true; readonly seat: Seat }
  /** Somebody has it; `unknown`: somebody had it, and may well be gone. */
  | { readonly taken: false; readonly owner: Owner; readonly fate: Exclude<Fate, 'gone'> }
  /** An errno, `socket-path-too-long`, or what else is wrong with `.fleet/`. */
  | { readonly taken: false; readonly owner: null; readonly why: string };

/** Entries of this process that it took another seat for: a folder that was away may bring one back. */
const abandoned = new Set<string>();

export const fleetFolder = (root: string): string => join(root, '.fleet');

/** Throws nothing but bugs; what the disk refuses is an answer. */
export async function takeSeat(root: string, connected: OnConnection): Promise<SeatTaken> {
  const folder = fleetFolder(root);
  if (Buffer.byteLength(join(folder, SOCKET)) > MAX_SOCKET_PATH) {
    return { taken: false, owner: null, why: 'socket-path-too-long' };
  }
  const token = randomBytes(4).toString('hex');
  let socket: OwnSocket | undefined;
  try {
    makeFleetFolder(root);
    socket = await ownSocket(folder, token, connected);
    const refused = await contend(folder, token, socket.staged);
    if (refused === null) return { taken: true, seat: seatAt(root, token, socket, connected) };
    socket.close();
    return refused;
  } catch (error) {
    socket?.close();
    return { taken: false, owner: null, why: codeOf(error) };
  } finally {
    failureOf(() => asOwnerOf(folder, () => unstage(folder, token)));
  }
}

/** Who has the seat of this root; null: nobody. */
export function ownerOf(root: string): Owner | 'unreadable' | null {
  const entry = entryIn(join(fleetFolder(root), LOCK));
  return entry === null ? null : (parseOwner(entry.text) ?? 'unreadable');
}

/** null: the seat is ours. */
async function contend(
  folder: string,
  token: string,
  staged: string,
): Promise<Extract<SeatTaken, { taken: false }> | null> {
  const lock = join(folder, LOCK);
  let code = '';
  for (let round = 0; round < MAX_ROUNDS; round++) {
    asOwnerOf(folder, () => stage(folder, token, ourselves([staged, SOCKET])));
    code = failureOf(() => renameSync(join(folder, STAGE + token), lock));
    if (code === '') {
      asOwnerOf(folder, () => sweep(folder));
      return null;
    }
    const entry = entryIn(lock);
    if (entry === null) continue;
    const owner = parseOwner(entry.text);
    if (owner === null) return { taken: false, owner: null, why: 'lock-unreadable' };
    const fate = abandoned.has(entry.name) ? 'gone' : await fateOf(owner, folder);
    if (fate !== 'gone') return { taken: false, owner, fate };
    failureOf(() => unlinkSync(join(lock, entry.name)));
  }
  return { taken: false, owner: null, why: code };
}

function seatAt(root: string, token: string, first: OwnSocket, connected: OnConnection): Seat {
  const folder = fleetFolder(root);
  const entry = join(folder, LOCK, entryName(token));
  let socket = first;
  let opened = false;
  const seat: Seat = {
    socketPath: join(folder, SOCKET),
    open() {
      socket.publish();
      opened = true;
    },
    async keep() {
      if (!existsSync(entry)) {
        const again = await takeSeat(root, connected);
        // Till then it listens on: it may come back as it was, with the folder that it is in.
        if (!again.taken) return again;
        abandoned.add(entryName(token));
        if (opened) again.seat.open();
        // Those already connected stay connected.
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
        return { taken: true, seat };
      } catch (error) {
        return { taken: false, owner: null, why: codeOf(error) };
      }
    },
    missing() {
      const lost = failureOf(() => void lstatSync(entry));
      if (lost !== '') return `${LOCK}: ${lost}`;
      // Another's socket, or what is none, has its name.
      const why = failureOf(() => void lstatSync(join(folder, SOCKET))) || 'EADDRINUSE';
      return socket.isPublished() ? null : `${SOCKET}: ${why}`;
    },
    leave() {
      socket.close();
      failureOf(() => unlinkSync(entry));
      // Fails where a successor has it already.
      failureOf(() => rmdirSync(join(folder, LOCK)));
    },
  };
  return seat;
}

/** The process id is for whoever lists the folder. */
const entryName = (token: string): string => `${ENTRY}${process.pid}-${token}`;

/** A folder with our entry in it, on disk for good: after a power cut it must still say who we were. */
function stage(folder: string, token: string, owner: Owner): void {
  const dir = join(folder, STAGE + token);
  unstage(folder, token);
  mkdirSync(dir, 0o700);
  // Whoever shares the fleet may take over from us.
  chmodSync(dir, statSync(folder).mode & 0o2770);
  const fd = openSync(join(dir, entryName(token)), 'wx', 0o600);
  try {
    // Whoever may enter the folder may know who we are, whatever the umask.
    fchmodSync(fd, 0o644);
    writeSync(fd, `${JSON.stringify(owner)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function unstage(folder: string, token: string): void {
  rmSync(join(folder, STAGE + token), { recursive: true, force: true });
}

function entryIn(lock: string): { readonly name: string; readonly text: string } | null {
  try {
    const name = readdirSync(lock).find((found) => found.startsWith(ENTRY));
    return name === undefined ? null : { name, text: recordIn(join(lock, name)) };
  } catch (error) {
    codeOf(error);
    return null;
  }
}

/** What is no plain file is nobody's record, and must not block us: '' is none either. */
function recordIn(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) return '';
    const bytes = Buffer.alloc(MAX_RECORD_BYTES);
    return bytes.toString('utf8', 0, readSync(fd, bytes));
  } finally {
    closeSync(fd);
  }
}

/** What contenders left that were killed; one that prepares right now is younger. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/^(\.watcher\.lock|s)-[0-9a-f]{8}$/.test(name)) continue;
    failureOf(() => {
      const path = join(folder, name);
      if (Date.now() - lstatSync(path).mtimeMs > LEFTOVER_MS) rmSync(path, { recursive: true });
    });
  }
}

/** The owner's alone, unless the root itself is writable for its group; as the journal has it. */
function makeFleetFolder(root: string): void {
  const { mode } = statSync(root);
  const folder = fleetFolder(root);
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  asOwnerOf(root, () => {
    try {
      mkdirSync(folder, 0o700);
    } catch (error) {
      // Somebody was quicker, or it is a link that leads nowhere: then nothing can be made in it.
      if (codeOf(error) !== 'EEXIST') throw error;
      statSync(folder);
      return;
    }
    if ((mode & 0o020) !== 0) chmodSync(folder, (mode & 0o2000) | 0o770);
  });
}

function failureOf(step: () => void): string {
  try {
    step();
    return '';
  } catch (error) {
    return codeOf(error);
  }
}

/** Rethrows what is no failed system call: a bug. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  throw error;
}
