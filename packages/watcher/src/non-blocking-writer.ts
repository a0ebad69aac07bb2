/**
 * Writes lines to a descriptor that may be slow, full or unread. Lines wait in bounded memory and
 * are dropped beyond it. A write never blocks this process or delays its end.
 * The format of the lines is decided elsewhere.
 *
 * A process cannot end while one of its threads is blocked in a write. So pipes, sockets and
 * terminals are opened non-blocking, and only files are written by a thread.
 */
import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';

export interface NonBlockingWriter {
  write(line: string): void;
  /** Writes what waits, and gives up after a second. */
  close(): Promise<void>;
}

const MAX_WAITING_BYTES = 1_048_576;
const GIVE_UP_MS = 1_000;
/** By then a full disk may have space again, or a stopped terminal may continue. */
const RETRY_MS = 250;

/** `bytes`: how many were written. `over`: no more ever will be. */
type OnWritten = (bytes: number, then: 'go-on' | 'again-later' | 'over') => void;

interface Sink {
  readonly fd: number;
  write(bytes: Buffer, onWritten: OnWritten): void;
  /** Gives up the write in progress. */
  abort(): void;
}

export function nonBlockingWriter(fd: number): NonBlockingWriter {
  const sink = sinkFor(fd);
  let waiting: Buffer[] = [];
  /** Including the write in progress. */
  let bytes = 0;
  let writing = false;
  let isOver = false;
  let retryTimer: NodeJS.Timeout | undefined;
  let settled = () => {};

  const giveUp = () => {
    isOver = true;
    waiting = [];
    bytes = 0;
  };
  const next = () => {
    if (writing || retryTimer !== undefined) return;
    if (bytes === 0) return settled();
    const chunk = Buffer.concat(waiting);
    waiting = [];
    writing = true;
    sink.write(chunk, (onWritten, then) => {
      writing = false;
      if (isOver) return;
      bytes -= onWritten;
      if (onWritten < chunk.length) waiting.unshift(chunk.subarray(onWritten));
      if (then === 'over') giveUp();
      if (then === 'again-later') retryTimer = setTimeout(retry, RETRY_MS).unref();
      next();
    });
  };
  const retry = () => {
    clearTimeout(retryTimer);
    retryTimer = undefined;
    next();
  };
  /** The process ends without `close`: it crashed, and these lines may say why. */
  const flushOnExit = () => {
    for (const line of waiting) if (!writeNow(sink.fd, line)) return;
  };
  process.once('exit', flushOnExit);

  return {
    write(line) {
      const text = Buffer.from(line);
      if (isOver || bytes + text.length > MAX_WAITING_BYTES) return;
      waiting.push(text);
      bytes += text.length;
      next();
    },
    async close() {
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, GIVE_UP_MS);
        settled = () => {
          clearTimeout(late);
          resolve();
        };
        retry();
      });
      process.off('exit', flushOnExit);
      clearTimeout(retryTimer);
      giveUp();
      sink.abort();
    },
  };
}

function sinkFor(fd: number): Sink {
  const found = fstatSync(fd);
  if (found.isFIFO()) return streamSink(reopen(fd) ?? asStdio(fd));
  if (found.isSocket()) return streamSink(asStdio(fd));
  return fileSink(found.isCharacterDevice() ? (reopen(fd) ?? fd) : fd);
}

/**
 * Opens the same pipe or terminal again with a file description of our own, so that non-blocking
 * mode does not affect other processes that inherited it. null: it may not be opened (another user
 * made it, or its reader is gone).
 */
function reopen(fd: number): number | null {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/dev/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return null;
  }
}

/** Node opens its own stream late and fails while ours waits: even a warning would throw. */
function asStdio(fd: number): number {
  if (fd === 1) void process.stdout;
  if (fd === 2) void process.stderr;
  return fd;
}

function streamSink(fd: number): Sink {
  const socket = new Socket({ fd, readable: false, writable: true });
  // The write callback gets the error.
  socket.on('error', () => {});
  return {
    fd,
    write: (bytes, onWritten) =>
      void socket.write(bytes, (error) =>
        error ? onWritten(0, 'over') : onWritten(bytes.length, 'go-on'),
      ),
    abort: () => void socket.destroy(),
  };
}

function fileSink(fd: number): Sink {
  return {
    fd,
    write: (bytes, onWritten) =>
      write(fd, bytes, (error, written) => {
        if (error === null) return onWritten(written, 'go-on');
        const isGone = error.code === 'EPIPE' || error.code === 'EBADF';
        onWritten(0, isGone ? 'over' : 'again-later');
      }),
    abort: () => {},
  };
}

function writeNow(fd: number, bytes: Buffer): boolean {
  try {
    return writeSync(fd, bytes) === bytes.length;
  } catch {
    return false;
  }
}
