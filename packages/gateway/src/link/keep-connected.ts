/**
 * Keeps a connection to the watcher: reconnects when it ends and reports a silent watcher as stale.
 * The content of the messages is the caller's.
 */
import { statSync } from 'node:fs';
import {
  type Ack,
  type ConnectionRefusal,
  type CutDone,
  type FromWatcher,
  MAX_SOCKET_PATH,
  PROTOCOL,
} from '@fleet-estop/protocol';
import { type Backoff, waitMs } from './backoff.ts';
import { type Connection, openConnection } from './connection.ts';
import { type LinkStatus, sameStatus } from './status.ts';

export interface KeepConnectedOptions {
  readonly path: string;
  readonly keepAlive: boolean;
  readonly heartbeatMs: number;
  readonly staleAfterMs: number;
  readonly retry: Backoff;
  /** Sends the hello. Throws RangeError if it does not fit into a line. */
  readonly sendHello: (connection: Connection) => void;
  readonly beat: (connection: Connection) => void;
  readonly heard: (message: Exclude<FromWatcher, ConnectionRefusal>) => void;
  /** Another process is connected under our name. Choose another one; the next hello follows soon. */
  readonly nameTaken: () => void;
  /** The connection ended: pushed states are void. Nothing changes about what holds [8]. */
  readonly lost: () => void;
  readonly status: (status: LinkStatus) => void;
}

export interface WatcherConnection {
  status(): LinkStatus;
  acknowledge(ack: Ack): void;
  /** Sends the answer if connected: the watcher asks again if it is still interested. */
  answer(done: CutDone): void;
  /** Sends the hello again if connected. */
  sendHelloAgain(): void;
  /** Like `sendHelloAgain`, and also connects again after a refusal. */
  tryAgain(): void;
  /** `farewell`: the last line, sent if connected. */
  close(farewell?: string): void;
}

/** State of one connection. It ends with the connection. */
interface Current {
  readonly connection: Connection;
  /** Identity of the socket file; see `socketAt`. */
  readonly socket: string;
  isOpen: boolean;
  openedMs: number;
  heardMs: number;
  closing: ConnectionRefusal | null;
}

export function keepConnected(options: KeepConnectedOptions): WatcherConnection {
  const { path, keepAlive, heartbeatMs, staleAfterMs, retry } = options;
  const steadyMs = (): number => performance.now();
  let status: LinkStatus = { link: 'connecting', why: null, hint: null };
  // Events of any older connection are ignored. A status listener may close or retry, so `current` can
  // be another connection after each `become`.
  let current: Current | null = null;
  /** The socket whose watcher speaks another protocol version; null if none. */
  let refusedSocket: string | null = null;
  let attempt = 0;
  let retryTimer: NodeJS.Timeout | undefined;

  const become = (next: LinkStatus): void => {
    if (status.link === 'closed' || sameStatus(status, next)) return;
    status = next;
    options.status(next);
  };

  const leave = (): void => {
    clearTimeout(retryTimer);
    current?.connection.close();
    current = null;
    options.lost();
  };

  const giveUp = (refused: Omit<Extract<LinkStatus, { link: 'refused' }>, 'link'>): void => {
    leave();
    become({ link: 'refused', ...refused });
  };

  const sendHello = (): void => {
    if (current === null || !current.isOpen) return;
    try {
      options.sendHello(current.connection);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const hint = 'serve fewer profiles with one link';
      giveUp({ code: 'too-long', message: error.message, hint });
    }
  };

  const heard = (mine: Current, message: FromWatcher): void => {
    mine.heardMs = steadyMs();
    if (message.type === 'cut') {
      options.heard(message);
    } else if (message.type !== 'refused') {
      become({ link: 'connected', epoch: message.epoch });
      if (current === mine) options.heard(message);
    } else if (message.code === 'protocol') {
      const { code, message: text, hint } = message;
      refusedSocket = mine.socket;
      giveUp({ code, message: text, hint: hint === '' ? `this end speaks ${PROTOCOL}` : hint });
    } else {
      mine.closing = message;
      if (message.code === 'taken') options.nameTaken();
    }
  };

  const ended = ({ isOpen, openedMs, closing }: Current, why: string): void => {
    // A connection that lasted for a while was not a failed attempt.
    if (isOpen && steadyMs() - openedMs > staleAfterMs) attempt = 0;
    leave();
    retryTimer = setTimeout(connectNow, waitMs(attempt, retry));
    attempt += 1;
    if (!keepAlive) retryTimer.unref();
    const hint = closing === null ? null : closing.hint;
    become({ link: 'connecting', why: closing?.message ?? why, hint });
  };

  function connectNow(): void {
    if (current !== null || status.link === 'closed') return;
    clearTimeout(retryTimer);
    refusedSocket = null;
    const bytes = Buffer.byteLength(path);
    if (bytes > MAX_SOCKET_PATH) {
      const message = `\`${path}\` is too long for a socket: ${bytes} bytes of ${MAX_SOCKET_PATH}`;
      giveUp({ code: 'socket-path', message, hint: 'use a shorter root' });
      return;
    }
    // Read before connecting: a socket that is replaced in between counts as a new watcher.
    const socket = socketAt(path);
    const connection = openConnection(
      path,
      {
        opened() {
          if (current !== mine) return;
          mine.isOpen = true;
          mine.openedMs = steadyMs();
          mine.heardMs = mine.openedMs;
          sendHello();
        },
        heard(message) {
          if (current === mine) heard(mine, message);
        },
        ended(why) {
          if (current === mine) ended(mine, why);
        },
      },
      keepAlive,
    );
    const mine: Current = {
      connection,
      socket,
      isOpen: false,
      openedMs: 0,
      heardMs: 0,
      closing: null,
    };
    current = mine;
  }

  /** Another watcher has replaced the one that owned this socket. */
  const isAnotherThan = (socket: string): boolean => !['', socket].includes(socketAt(path));

  const beat = (mine: Current, isSilent: boolean): void => {
    if (isSilent) become({ link: 'stale' });
    if (current !== mine) return;
    if (isSilent && isAnotherThan(mine.socket)) ended(mine, 'another watcher is there now');
    else options.beat(mine.connection);
  };

  let beatMs = steadyMs();
  const heart = setInterval(() => {
    const atMs = steadyMs();
    // After this process was suspended, messages that arrived meanwhile have not been read yet.
    const isLate = atMs - beatMs > heartbeatMs + staleAfterMs / 2;
    beatMs = atMs;
    if (current?.isOpen) beat(current, !isLate && atMs - current.heardMs > staleAfterMs);
    else if (current === null && refusedSocket !== null && isAnotherThan(refusedSocket))
      connectNow();
  }, heartbeatMs);
  if (!keepAlive) heart.unref();

  connectNow();
  return {
    status: () => status,
    acknowledge(ack) {
      if (current?.isOpen) current.connection.acknowledge(ack);
    },
    answer(done) {
      if (current?.isOpen) current.connection.send(done);
    },
    sendHelloAgain: sendHello,
    tryAgain() {
      if (status.link === 'refused') connectNow();
      sendHello();
    },
    close(farewell) {
      clearInterval(heart);
      if (farewell !== undefined && current?.isOpen) current.connection.write(farewell);
      leave();
      become({ link: 'closed' });
    },
  };
}

/** Identity of the socket at a path: differs for every socket created there; '' if none is visible. */
function socketAt(path: string): string {
  try {
    // Inode numbers are reused soon, and the clock may be set back: use both.
    const { dev, ino, ctimeNs } = statSync(path, { bigint: true });
    return `${dev} ${ino} ${ctimeNs}`;
  } catch {
    return '';
  }
}
