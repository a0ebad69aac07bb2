/**
 * Opens files that somebody else may have put there: follows no link, and never waits for the writer
 * of a FIFO. What the file must be, and how much of it is read, is for the caller.
 */
import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';

export const READ_SAFELY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What `use` returns of the open file. Throws an errno, as `use` may. */
export function withFile<T>(path: string, use: (fd: number, stats: Stats) => T): T {
  const fd = openSync(path, READ_SAFELY);
  try {
    return use(fd, fstatSync(fd));
  } finally {
    closeSync(fd);
  }
}
