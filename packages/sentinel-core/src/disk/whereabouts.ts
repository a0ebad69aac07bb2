/**
 * Which folder a path leads to right now. One that was removed and made again, mounted over, or whose
 * link was turned elsewhere is another one, and a watch on the old one hears nothing of it.
 * What is done about that is `doorbell.ts`.
 */
import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';

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
    const identity = identityOf(folder);
    const above = dirname(folder);
    if (identity !== null || above === folder) {
      return { folder, missing, identity: `${folder} ${identity}` };
    }
    missing = basename(folder);
    folder = above;
  }
}

/** null: it is absent. */
function identityOf(dir: string): string | null {
  try {
    const { dev, ino, birthtimeNs } = statSync(dir, { bigint: true });
    // A file system gives the number of a removed folder to the next one that is made.
    return `${dev}:${ino}:${birthtimeNs}`;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : code;
  }
}
