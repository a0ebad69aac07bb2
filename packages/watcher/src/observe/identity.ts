/**
 * Which folder a path leads to right now: a folder that was removed and made again, mounted over, or
 * whose link was turned elsewhere is another one, and a watch on the old one is deaf.
 */
import { statSync } from 'node:fs';

export interface Present {
  readonly state: 'present';
  readonly id: string;
  readonly device: bigint;
}

export type Identity =
  | Present
  | { readonly state: 'absent' }
  /** The errno. */
  | { readonly state: 'unreadable'; readonly why: string };

export function identityOf(dir: string): Identity {
  try {
    const { dev, ino, birthtimeNs } = statSync(dir, { bigint: true });
    // A file system gives the number of a removed folder to the next one that is made.
    return { state: 'present', id: `${dev}:${ino}:${birthtimeNs}`, device: dev };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { state: 'absent' };
    return { state: 'unreadable', why: code };
  }
}
