/**
 * Identifies the folder under a path now, so that a replacement is noticed.
 * `nearest-folder.ts` handles a path without a folder.
 */
import { statSync } from 'node:fs';
import { codeOrText, meansAbsent } from './errno.ts';

/** A folder that exists. */
export interface PresentFolder {
  readonly state: 'present';
  /**
   * Differs for every other folder: one that was made in its place, mounted over it, or linked
   * instead.
   */
  readonly id: string;
  readonly device: bigint;
}

/** What `identifyFolder` reports. */
export type FolderIdentity =
  | PresentFolder
  | { readonly state: 'absent' }
  /** `why`: the errno. */
  | { readonly state: 'unreadable'; readonly why: string };

/**
 * The identity of the folder `dir`: device, inode and time of birth. Follows links. Throws nothing.
 */
export function identifyFolder(dir: string): FolderIdentity {
  try {
    const { dev, ino, birthtimeNs } = statSync(dir, { bigint: true });
    // A file system gives the inode number of a removed folder to a new one, so the time of birth
    // is needed.
    return { state: 'present', id: `${dev}:${ino}:${birthtimeNs}`, device: dev };
  } catch (error) {
    const code = codeOrText(error);
    return meansAbsent(code) ? { state: 'absent' } : { state: 'unreadable', why: code };
  }
}
