/**
 * Which folder a path leads to right now. One that was removed and made again, mounted over, or whose
 * link was turned elsewhere is another one, and a watch on the old one hears nothing of it.
 * What is done about that is `doorbell.ts`.
 */
import { basename, dirname } from 'node:path';
import { type FolderIdentity, identifyFolder } from './folder-identity.ts';

export interface Whereabouts {
  /** The folder itself, or the nearest above it that is there. */
  readonly folder: string;
  /** The entry of that folder by which the one that was asked for would come; null: it is there. */
  readonly missing: string | null;
  /** Of `folder`; of one that cannot be looked at, the errno. */
  readonly identity: string;
}

export function whereaboutsOf(dir: string): Whereabouts {
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
