/**
 * One HTTP server, on TCP or on a unix socket: bounded in connections, headers and time, whatever is
 * asked of it.
 */
import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { MAX_SOCKET_PATH } from '@fleet-estop/wire';
import { createAdaptorServer } from '@hono/node-server';
import { makeSocketIn } from '../as-owner-of.ts';

export type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch'];

export interface HttpListener {
  /** 0: a unix socket. */
  readonly port: number;
  /** Still there, under its name? A unix socket goes with its folder. */
  isPublished(): boolean;
  /** Nobody new is let in; those who are here have a second to end. */
  close(): Promise<void>;
}

const MAX_HEADER_BYTES = 16_384;
/** For the headers, and then for the whole request: whoever is slower does not ask, but holds on. */
const HEADERS_MS = 5_000;
const REQUEST_MS = 15_000;
/** Without a byte in either direction. Streams have heartbeats. */
const IDLE_MS = 30_000;
const CLOSE_MS = 1_000;

/** Rejects with an errno. */
export async function listenOnTcp(
  fetch: Fetch,
  port: number,
  maxConnections = 1_024,
): Promise<HttpListener> {
  const server = serverOf(fetch, maxConnections);
  await listening(server, () => server.listen(port, '127.0.0.1'));
  const { port: taken } = server.address() as AddressInfo;
  return { port: taken, isPublished: () => server.listening, close: () => closeServer(server) };
}

/**
 * Under a name of its own first, then by a rename: so the known name is only ever a listening socket.
 * Whoever has the fleet's seat has this name too; a socket of somebody who went without it is
 * replaced, and a successor's is never removed. Rejects with an errno, or `socket-path-too-long`.
 */
export async function listenOnSocket(
  fetch: Fetch,
  path: string,
  maxConnections = 1_024,
): Promise<HttpListener> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) {
    throw Object.assign(new Error('the path is too long'), { code: 'socket-path-too-long' });
  }
  const folder = dirname(path);
  // Not longer than the known name, so that one check covers both.
  const staged = join(folder, `h-${process.pid.toString(36)}`.slice(0, basename(path).length));
  const server = serverOf(fetch, maxConnections);
  unlinkQuietly(staged);
  await listening(server, () => makeSocketIn(folder, () => void server.listen(staged)));
  let made: string | null;
  try {
    made = socketAt(staged);
    renameSync(staged, path);
  } catch (error) {
    await closeServer(server);
    throw error;
  }
  const isThere = () => server.listening && made !== null && socketAt(path) === made;
  return {
    port: 0,
    isPublished: isThere,
    close() {
      if (isThere()) unlinkQuietly(path);
      return closeServer(server);
    },
  };
}

/** What no listener can be behind. */
const UNANSWERED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ELOOP',
  'ENOENT',
  'ENOTDIR',
  'ENOTSOCK',
  'EPROTOTYPE',
]);

/** Does anybody answer there? Whoever is there and may not be asked, may well. */
export const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    const answer = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(CLOSE_MS, () => answer(true));
    socket.once('connect', () => answer(true));
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => {
      answer(!UNANSWERED.has(code) && socketAt(path) !== null);
    });
  });

function serverOf(fetch: Fetch, maxConnections: number): Server {
  const server = createAdaptorServer({
    fetch,
    overrideGlobalObjects: false,
    serverOptions: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 5_000,
    },
  }) as Server;
  server.maxConnections = maxConnections;
  server.maxHeadersCount = 100;
  // Also what is not being read makes no progress.
  server.setTimeout(IDLE_MS);
  return server;
}

function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      // A failed accept (no descriptors left) is one caller's: it comes again.
      server.on('error', () => {});
      resolve();
    });
    listen();
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
    server.closeIdleConnections();
  });
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
    // Not there, or not ours to remove: what follows says so.
  }
}
