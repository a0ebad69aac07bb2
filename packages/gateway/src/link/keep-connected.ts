/**
 * Keeps a connection to the watcher: connects again when it ends, and says when it is silent.
 * What is said and heard is the caller's.
 */
import {
  type Ack,
  type FromWatcher,
  MAX_SOCKET_PATH,
  PROTOCOL,
  type Refused,
} from '@fleet-estop/wire';
import { type Backoff, waitMs } from './backoff.ts';
import { type Connection, openConnection } from './connection.ts';
import { type LinkStatus, sameStatus } from './status.ts';

export interface KeepConnectedOptions {
  readonly path: string;
  readonly keepAlive: boolean;
  readonly heartbeatMs: number;
  readonly staleAfterMs: number;
  readonly retry: Backoff;
  /** Says hello. Throws RangeError where that does not fit into a line. */
  readonly greet: (connection: Connection) => void;
  readonly beat: (connection: Connection) => void;
  readonly heard: (message: Exclude<FromWatcher, Refused>) => void;
  /** What was heard on this connection is void; of what holds, nothing is [8]. */
  readonly lost: () => void;
  readonly status: (status: LinkStatus) => void;
}

export interface KeptConnection {
  status(): LinkStatus;
  acknowledge(ack: Ack): void;
  /** Says hello again, and tries again where that was given up. */
  greetAgain(): void;
  close(): void;
}

export function keepConnected(options: KeepConnectedOptions): KeptConnection {
  const { path, keepAlive, heartbeatMs, staleAfterMs, retry } = options;
  const steadyMs = (): number => performance.now();
  let status: LinkStatus = { link: 'connecting', why: null, hint: null };
  let connection: Connection | null = null;
  let isOpen = false;
  let farewell: Refused | null = null;
  let attempt = 0;
  let openedMs = 0;
  let heardMs = 0;
  let retryTimer: NodeJS.Timeout | undefined;

  const become = (next: LinkStatus): void => {
    if (status.link === 'closed' || sameStatus(status, next)) return;
    status = next;
    options.status(next);
  };

  const giveUp = (refused: Omit<Extract<LinkStatus, { link: 'refused' }>, 'link'>): void => {
    connection?.close();
    connection = null;
    isOpen = false;
    options.lost();
    become({ link: 'refused', ...refused });
  };

  const greet = (): void => {
    if (connection === null || !isOpen) return;
    try {
      options.greet(connection);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const hint = 'serve fewer profiles with one link';
      giveUp({ code: 'too-long', message: error.message, hint });
    }
  };

  const heard = (message: FromWatcher): void => {
    heardMs = steadyMs();
    if (message.type !== 'refused') {
      become({ link: 'connected', epoch: message.epoch });
      options.heard(message);
    } else if (message.code === 'protocol') {
      const { code, message: text, hint } = message;
      giveUp({ code, message: text, hint: hint === '' ? `this end speaks ${PROTOCOL}` : hint });
    } else {
      farewell = message;
    }
  };

  const ended = (why: string): void => {
    // One that stood for a while was no failed attempt.
    if (isOpen && steadyMs() - openedMs > staleAfterMs) attempt = 0;
    connection = null;
    isOpen = false;
    options.lost();
    const hint = farewell === null ? null : farewell.hint;
    become({ link: 'connecting', why: farewell?.message ?? why, hint });
    retryTimer = setTimeout(connectNow, waitMs(attempt, retry));
    attempt += 1;
    if (!keepAlive) retryTimer.unref();
  };

  function connectNow(): void {
    clearTimeout(retryTimer);
    const bytes = Buffer.byteLength(path);
    if (bytes > MAX_SOCKET_PATH) {
      const message = `\`${path}\` is too long for a socket: ${bytes} bytes of ${MAX_SOCKET_PATH}`;
      giveUp({ code: 'socket-path', message, hint: 'use a shorter root' });
      return;
    }
    farewell = null;
    const opened = (): void => {
      isOpen = true;
      openedMs = steadyMs();
      heardMs = openedMs;
      greet();
    };
    connection = openConnection(path, { opened, heard, ended }, keepAlive);
  }

  let beatMs = steadyMs();
  const heart = setInterval(() => {
    const atMs = steadyMs();
    // After we were stopped ourselves, what was said meanwhile has not been read yet.
    const isLate = atMs - beatMs > heartbeatMs + staleAfterMs / 2;
    beatMs = atMs;
    if (connection === null || !isOpen) return;
    if (!isLate && atMs - heardMs > staleAfterMs) become({ link: 'stale' });
    options.beat(connection);
  }, heartbeatMs);
  if (!keepAlive) heart.unref();

  connectNow();
  return {
    status: () => status,
    acknowledge: (ack) => connection?.acknowledge(ack),
    greetAgain() {
      if (status.link === 'refused') connectNow();
      else greet();
    },
    close() {
      clearTimeout(retryTimer);
      clearInterval(heart);
      connection?.close();
      connection = null;
      isOpen = false;
      become({ link: 'closed' });
    },
  };
}
