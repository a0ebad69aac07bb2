/**
 * Finds the folder to which a path leads now, or the nearest existing one above it. A folder that
 * was removed and made again, mounted over, or relinked is another folder, and a watch on the old
 * one reports nothing about it.
 * `watch/notifier.ts` then starts a new watch.
 */
import { basename, dirname } from 'node:path';
import { type FolderIdentity, identifyFolder } from './folder-identity.ts';

/** The folder to which a path leads, or the nearest existing one above it. */
export interface NearestFolder {
  /** The folder itself, or the nearest existing folder above it. */
  readonly folder: string;
  /** The missing entry of `folder` on the way to the path; null: the folder itself exists. */
  readonly missing: string | null;
  /** Identity of `folder`, or the errno if it cannot be looked at. */
  readonly identity: string;
}

/** Finds the nearest existing folder to `dir`. Throws nothing. */
export function nearestFolderTo(dir: string): NearestFolder {
  let folder = dir;
  let missing: string | null = null;
  for (;;) {
    const found = identifyFolder(folder);
    const above = dirname(folder);
    if (found.state !== 'absent' || above === folder) {
      return { folder, missing, identity: `${folder} ${textOf(found)}` };
    }
    missing = basename(folder);
    folder = above;
  }
}

function textOf(found: FolderIdentity): string {
  switch (found.state) {
    case 'present':
      return found.id;
    case 'unreadable':
      return found.why;
    case 'absent':
      return 'absent';
  }
}
