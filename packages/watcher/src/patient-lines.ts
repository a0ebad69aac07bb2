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

export interface PatientLines {
  write(line: string): void;
  /** What waits is written, or given up after a second. */
  close(): Promise<void>;
}

const MAX_WAITING_BYTES = 1_048_576;
const GIVE_UP_MS = 1_000;
/** Until then a full disk may have room again, and a stopped terminal may go on. */
const AGAIN_MS = 250;

/** How many bytes were taken. Over: no more will ever be. */
type Taken = (bytes: number, then: 'go-on' | 'again-later' | 'over') => void;

interface Pen {
  readonly fd: number;
  put(bytes: Buffer, taken: Taken): void;
  /** Gives up what is being written. */
  drop(): void;
}

export function patientLines(fd: number): PatientLines {
  const pen = penFor(fd);
  let waiting: Buffer[] = [];
  /** With what is being written right now. */
  let bytes = 0;
  let writing = false;
  let isOver = false;
  let again: NodeJS.Timeout | undefined;
  let settled = () => {};

  const giveUp = () => {
    isOver = true;
    waiting = [];
    bytes = 0;
  };
  const next = () => {
    if (writing || again !== undefined) return;
    if (bytes === 0) return settled();
    const chunk = Buffer.concat(waiting);
    waiting = [];
    writing = true;
    pen.put(chunk, (taken, then) => {
      writing = false;
      if (isOver) return;
      bytes -= taken;
      if (taken < chunk.length) waiting.unshift(chunk.subarray(taken));
      if (then === 'over') giveUp();
      if (then === 'again-later') again = setTimeout(retry, AGAIN_MS).unref();
      next();
    });
  };
  const retry = () => {
    clearTimeout(again);
    again = undefined;
    next();
  };
  /** Of a process that ends without having closed: it crashed, and these lines may say how. */
  const lastWords = () => {
    for (const line of waiting) if (!putAtOnce(pen.fd, line)) return;
  };
  process.once('exit', lastWords);

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
      process.off('exit', lastWords);
      clearTimeout(again);
      giveUp();
      pen.drop();
    },
  };
}

function penFor(fd: number): Pen {
  const found = fstatSync(fd);
  if (found.isFIFO()) return streamPen(openAnew(fd) ?? asStdio(fd));
  if (found.isSocket()) return streamPen(asStdio(fd));
  return filePen(found.isCharacterDevice() ? (openAnew(fd) ?? fd) : fd);
}

/**
 * The same pipe or terminal, and a description of our own: not to block is then our way alone, and
 * not that of everybody who has inherited it with us. null: it may not be opened (it was made by
 * another user, or its reader is gone).
 */
function openAnew(fd: number): number | null {
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

function streamPen(fd: number): Pen {
  const socket = new Socket({ fd, readable: false, writable: true });
  // It is said to whoever writes.
  socket.on('error', () => {});
  return {
    fd,
    put: (bytes, taken) =>
      void socket.write(bytes, (error) =>
        error ? taken(0, 'over') : taken(bytes.length, 'go-on'),
      ),
    drop: () => void socket.destroy(),
  };
}

function filePen(fd: number): Pen {
  return {
    fd,
    put: (bytes, taken) =>
      write(fd, bytes, (error, written) => {
        if (error === null) return taken(written, 'go-on');
        const isGone = error.code === 'EPIPE' || error.code === 'EBADF';
        taken(0, isGone ? 'over' : 'again-later');
      }),
    drop: () => {},
  };
}

function putAtOnce(fd: number, bytes: Buffer): boolean {
  try {
    return writeSync(fd, bytes) === bytes.length;
  } catch {
    return false;
  }
}
