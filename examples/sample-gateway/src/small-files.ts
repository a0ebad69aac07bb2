/**
 * Reads small files without blocking on anything that is not a regular file, and replaces them as a whole.
 * Their content is parsed by the callers.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';

const MAX_BYTES = 64 * 1024;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export interface SmallFile {
  readonly text: string;
  /** Permissions, as in `chmod`. */
  readonly mode: number;
}

/** Reads a file; null if it does not exist. Throws for links, other non-files, and more than 64 KiB. */
export function readSmall(path: string): SmallFile | null {
  let fd: number;
  try {
    fd = openSync(path, READ);
  } catch (error) {
    if (isMissing(error)) return null;
    throw new Error(`\`${path}\` cannot be read`, { cause: error });
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error(`\`${path}\` is not a file`);
    if (stats.size > MAX_BYTES) throw new Error(`\`${path}\` has more than ${MAX_BYTES} bytes`);
    return { text: readFileSync(fd, 'utf8'), mode: stats.mode & 0o777 };
  } finally {
    closeSync(fd);
  }
}

/** Replaces a file atomically: readers see the old text or the new one. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
