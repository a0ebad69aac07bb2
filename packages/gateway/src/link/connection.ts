/**
 * One connection to the watcher: writes lines in bounded memory and decodes incoming messages.
 * Reconnecting is `keep-connected.ts`; handling a message is `open-link.ts`.
 */
import { connect } from 'node:net';
import {
  type Ack,
  decodeFromWatcher,
  encode,
  type FromGateway,
  type FromWatcher,
  lineReader,
  ProtocolError,
} from '@fleet-estop/protocol';

/** No event is emitted after `close`. */
export interface ConnectionEvents {
  /** The socket is open; the watcher may not have answered yet. */
  opened(): void;
  heard(message: FromWatcher): void;
  /** Called once, with an errno or a short description. */
  ended(why: string): void;
}

export interface Connection {
  /** Writes one message. Throws RangeError if it does not fit into a line. */
  send(message: FromGateway): void;
  /** Writes one encoded line. */
  write(line: string): void;
  /** Queues an acknowledgement; it replaces a queued one of the same profile. */
  acknowledge(ack: Ack): void;
  /** Writes the message now or drops it: a delayed heartbeat is worthless. Answers whether it was written. */
  offer(message: FromGateway): boolean;
  close(): void;
}

/** Milliseconds for flushing the last lines on close. A stopped watcher never reads them. */
const CLOSE_TIMEOUT_MS = 1_000;

export function openConnection(
  path: string,
  events: ConnectionEvents,
  keepAlive: boolean,
): Connection {
  const socket = connect(path);
  if (!keepAlive) socket.unref();
  const acks = new Map<string, Ack>();
  let over = false;

  const end = (why: string): void => {
    if (over) return;
    over = true;
    socket.destroy();
    events.ended(why);
  };
  const write = (line: string): void => {
    if (!over) socket.write(line);
  };
  const send = (message: FromGateway): void => {
    write(encode(message));
  };
  const flush = (): void => {
    for (const [profile, ack] of acks) {
      if (over || socket.writableNeedDrain) return;
      acks.delete(profile);
      send(ack);
    }
  };
  const reader = lineReader((line) => {
    if (over) return;
    try {
      events.heard(decodeFromWatcher(line));
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      end(`malformed: ${error.message}`);
    }
  });

  socket.on('connect', () => {
    if (!over) events.opened();
  });
  socket.on('drain', flush);
  socket.on('data', (chunk) => {
    if (!over && !reader.push(chunk as Buffer)) end('a line is too long or not UTF-8');
  });
  socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  socket.on('end', () => end('the watcher closed the connection'));
  socket.on('close', () => end('the connection was closed'));
  return {
    send,
    write,
    acknowledge(ack) {
      acks.set(ack.profile, ack);
      flush();
    },
    offer(message) {
      if (over || socket.connecting || socket.writableNeedDrain || acks.size > 0) return false;
      send(message);
      return true;
    },
    close() {
      if (over) return;
      over = true;
      if (socket.connecting) {
        socket.destroy();
        return;
      }
      socket.destroySoon();
      setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref();
    },
  };
}
