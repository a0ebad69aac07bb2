/**
 * Writes lines to a descriptor that may be slow, full or unread. Lines wait in bounded memory and
 * are dropped beyond it. A write never blocks this process or delays its end.
 * The format of the lines is decided elsewhere.
 *
 * It prevents a failure that pino's asynchronous destination has: while nobody reads the pipe, a
 * thread is blocked in a write, and the process cannot end.
 */
import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface NonBlockingWriter {
  write(line: string): void;
  /** Writes what waits, and gives up after a second. */
  close(): Promise<void>;
}

const MAX_WAITING_BYTES = 1_048_576;
const GIVE_UP_MS = 1_000;
/** By then a reader may have read, or a full disk may have space again. */
const RETRY_MS = 50;

export function nonBlockingWriter(fd: number): NonBlockingWriter {
  const out = nonBlocking(fd);
  let waiting: Buffer[] = [];
  /** Including the write in progress. */
  let bytes = 0;
  let isBusy = false;
  let isOver = false;

  const giveUp = () => {
    isOver = true;
    waiting = [];
    bytes = 0;
  };
  const next = () => {
    isBusy = bytes > 0;
    if (!isBusy) return;
    const chunk = Buffer.concat(waiting);
    waiting = [];
    write(out, chunk, (error, written) => {
      if (isOver) return;
      if (error?.code === 'EPIPE' || error?.code === 'EBADF') return giveUp();
      bytes -= written;
      if (written < chunk.length) waiting.unshift(chunk.subarray(written));
      if (error === null) next();
      else setTimeout(next, RETRY_MS).unref();
    });
  };
  /** The process ends without `close`: it crashed, and these lines may say why. */
  const flushOnExit = () => {
    try {
      writeSync(out, Buffer.concat(waiting));
    } catch {
      // Full or gone.
    }
  };
  process.once('exit', flushOnExit);

  return {
    write(line) {
      const text = Buffer.from(line);
      if (isOver || bytes + text.length > MAX_WAITING_BYTES) return;
      waiting.push(text);
      bytes += text.length;
      if (!isBusy) next();
    },
    async close() {
      const untilMs = performance.now() + GIVE_UP_MS;
      while (bytes > 0 && performance.now() < untilMs) await delay(RETRY_MS / 5);
      process.off('exit', flushOnExit);
      giveUp();
    },
  };
}

/**
 * A pipe or a terminal is opened again, so that non-blocking mode does not affect other processes
 * that inherited it. Where that is not possible (a socket, or another user's pipe), Node's own
 * stream makes this descriptor non-blocking. A file is written by a thread.
 */
function nonBlocking(fd: number): number {
  const found = fstatSync(fd);
  if (found.isFIFO() || found.isCharacterDevice()) {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    try {
      return openSync(`/dev/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    } catch {
      // Another user made it, or its reader is gone.
    }
  }
  if ((found.isFIFO() || found.isSocket()) && fd === 1) void process.stdout;
  if ((found.isFIFO() || found.isSocket()) && fd === 2) void process.stderr;
  return fd;
}
