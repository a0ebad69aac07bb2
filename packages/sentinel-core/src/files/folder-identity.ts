/**
 * Which folder stands under a path right now, so that another one in its place is told from it.
 * Where to look when there is none is `whereabouts.ts`.
 */
import { statSync } from 'node:fs';
import { meansAbsent } from './errno.ts';

export interface PresentFolder {
  readonly state: 'present';
  /** Of another folder, another one: one made in its place, mounted over it, or linked to instead. */
  readonly id: string;
  readonly device: bigint;
}

export type FolderIdentity =
  | PresentFolder
  | { readonly state: 'absent' }
  /** The errno. */
  | { readonly state: 'unreadable'; readonly why: string };

/** Follows links. Throws nothing. */
export function identifyFolder(dir: string): FolderIdentity {
  try {
    const { dev, ino, birthtimeNs } = statSync(dir, { bigint: true });
    // A file system gives the number of a removed folder to the next one that is made.
    return { state: 'present', id: `${dev}:${ino}:${birthtimeNs}`, device: dev };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return meansAbsent(code) ? { state: 'absent' } : { state: 'unreadable', why: code };
  }
}
