/**
 * Which socket stands at a path, so that another watcher's is told from the one that is known.
 * What follows from that is `keep-connected.ts`.
 */
import { statSync } from 'node:fs';

/** Another text for every socket that was ever published there; empty: none can be seen. */
export function socketAt(path: string): string {
  try {
    // The number of an inode alone is given to the next socket soon; a time alone may be set back.
    const { dev, ino, ctimeNs } = statSync(path, { bigint: true });
    return `${dev} ${ino} ${ctimeNs}`;
  } catch {
    return '';
  }
}
