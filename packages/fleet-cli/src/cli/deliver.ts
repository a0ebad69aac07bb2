/**
 * Writes text to stdout or stderr completely and synchronously.
 * How a failed write changes the exit status is `main.ts`.
 */
import { writeSync } from 'node:fs';

/** `whole`, `reader-gone` (EPIPE: the reader closed the pipe), or the errno of the failed write. */
export type Delivery = string;

/** Milliseconds between two tries to write to a full non-blocking pipe. */
const RETRY_MS = 5;

export function deliver(fd: 1 | 2, text: string): Delivery {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return 'reader-gone';
      if (code !== 'EAGAIN') return code ?? 'unknown';
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
  return 'whole';
}
