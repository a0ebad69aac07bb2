/**
 * Lines to a descriptor that may be slow, full, or read by nobody: they wait in bounded memory, and
 * are dropped beyond it. No write blocks this process, or keeps it from ending.
 * What a line says is for others.
 *
 * A process does not end while a thread of it is blocked in a write. So pipes, sockets and terminals
 * are written to without blocking, and only files by a thread.
 */
import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';

export interface NonBlockingWriter {
  write(line: string): void;
  /** What waits is written, or given up after a second. */
  close(): Promise<void>;
}

const MAX_WAITING_BYTES = 1_048_576;
const GIVE_UP_MS = 1_000;
/** Until then a full disk may have room again, and a stopped terminal may go on. */
const RETRY_MS = 250;

/** How many bytes were taken. Over: no more will ever be. */
type OnWritten = (bytes: number, then: 'go-on' | 'again-later' | 'over') => void;

interface Sink {
  readonly fd: number;
  write(bytes: Buffer, onWritten: OnWritten): void;
  /** Gives up what is being written. */
  abort(): void;
}

export function nonBlockingWriter(fd: number): NonBlockingWriter {
  const sink = sinkFor(fd);
  let waiting: Buffer[] = [];
  /** With what is being written right now. */
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
  /** Of a process that ends without having closed: it crashed, and these lines may say how. */
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
 * The same pipe or terminal, and a description of our own: not to block is then our way alone, and
 * not that of everybody who has inherited it with us. null: it may not be opened (it was made by
 * another user, or its reader is gone).
 */
function reopen(fd: number): number | null {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/dev/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return null;
  }
}

/** Node opens its own stream late, and cannot while ours waits: a mere warning would then throw. */
function asStdio(fd: number): number {
  if (fd === 1) void process.stdout;
  if (fd === 2) void process.stderr;
  return fd;
}

function streamSink(fd: number): Sink {
  const socket = new Socket({ fd, readable: false, writable: true });
  // It is said to whoever writes.
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
