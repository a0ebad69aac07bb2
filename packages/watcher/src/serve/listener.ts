/**
 * One HTTP server, on TCP or on a unix socket, with limits on connections, headers and time.
 */
import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { MAX_SOCKET_PATH } from '@fleet-estop/protocol';
import { createAdaptorServer } from '@hono/node-server';
import { changeIn, makeSocketIn } from '../as-owner-of.ts';
import { listening, removeQuietly, socketAt } from '../socket-name.ts';

export type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch'];

export interface HttpListener {
  /** 0: a unix socket. */
  readonly port: number;
  /** Whether it still listens under its name. A unix socket vanishes with its folder. */
  isPublished(): boolean;
  /** Accepts no more connections; existing ones get a second to finish. */
  close(): Promise<void>;
}

const MAX_HEADER_BYTES = 16_384;
/** For the headers, and for the whole request: a slower client only holds the connection. */
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
 * Listens under a private name and is then renamed, so the known name always belongs to a listening
 * socket. The owner of the instance lock owns this name too: another process's socket is replaced,
 * and a successor's is never removed. Rejects with an errno, or `socket-path-too-long`.
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
  // As short as the known name, so that one length check covers both.
  const name = basename(path);
  // Random: Node removes it by its path when it closes, whatever that path leads to by then.
  const stagedName = `h-${randomBytes(4).toString('hex')}`.slice(0, name.length);
  const staged = join(folder, stagedName);
  const server = serverOf(fetch, maxConnections);
  await listening(server, () => makeSocketIn(folder, () => void server.listen(staged)));
  let made: string | null;
  try {
    made = socketAt(staged);
    changeIn(folder, (own) => renameSync(join(own, stagedName), join(own, name)));
  } catch (error) {
    await closeServer(server);
    throw error;
  }
  const isAt = (there: string) => server.listening && made !== null && socketAt(there) === made;
  const isThere = () => isAt(path);
  return {
    port: 0,
    isPublished: isThere,
    close() {
      removeQuietly(folder, name, isAt);
      return closeServer(server);
    },
  };
}

/** Errors that prove that nobody listens. */
const UNANSWERED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ELOOP',
  'ENOENT',
  'ENOTDIR',
  'ENOTSOCK',
  'EPROTOTYPE',
]);

/** Whether somebody listens there. A socket that we may not connect to may well be in use. */
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
  // Also closes connections whose peer does not read.
  server.setTimeout(IDLE_MS);
  return server;
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
