/**
 * Finds the folder to which a path leads now, or the nearest existing one above it. A folder that
 * was removed and made again, mounted over, or relinked is another folder, and a watch on the old
 * one reports nothing about it.
 * `watch/notices.ts` then starts a new watch.
 */
import { basename, dirname } from 'node:path';
import { identifyFolder } from './folder-identity.ts';

/** The folder to which a path leads, or the nearest existing one above it. */
export interface NearestFolder {
  /** The folder itself, or the nearest existing folder above it. */
  readonly folder: string;
  /** The missing entry of `folder` on the way to the path; null: the folder itself exists. */
  readonly missing: string | null;
  /** Identity of `folder`, or the errno if it cannot be looked at. */
  readonly identity: string;
  /** Device of `folder`; null: it cannot be looked at. */
  readonly device: bigint | null;
  /** Why `folder` cannot be looked at: the errno. null: it can. */
  readonly why: string | null;
}

/** Finds the nearest existing folder to `dir`. Throws nothing. */
export function nearestFolderTo(dir: string): NearestFolder {
  let folder = dir;
  let missing: string | null = null;
  for (;;) {
    const found = identifyFolder(folder);
    if (found.state === 'present') {
      return {
        folder,
        missing,
        identity: `${folder} ${found.id}`,
        device: found.device,
        why: null,
      };
    }
    const above = dirname(folder);
    if (found.state === 'unreadable' || above === folder) {
      const why = found.state === 'unreadable' ? found.why : 'ENOENT';
      return { folder, missing, identity: `${folder} ${why}`, device: null, why };
    }
    missing = basename(folder);
    folder = above;
  }
}
