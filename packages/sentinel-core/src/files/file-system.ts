/**
 * Tells the kind of file system on which a folder lies. Some report no changes made elsewhere, and
 * on some, holds do not survive a restart.
 * The caller decides what follows from that.
 */
import { statfsSync } from 'node:fs';

/**
 * `network`: another host can change it without a notification here. `union`: so can a writer below
 * it, and its upper layer is removed with its container. `memory`: it is lost when the host
 * restarts. `plain`: none of these.
 */
export type FileSystemKind = 'plain' | 'network' | 'union' | 'memory';

/** A file system with a known name and kind. */
export interface KnownFileSystem {
  readonly name: string;
  readonly kind: FileSystemKind;
}

/** What `fileSystemAt` reports. */
export interface FileSystem {
  /** Its number in statfs(2). The number means something else on every kernel. */
  readonly magic: number;
  /** null: unknown. Off Linux every file system is unknown. */
  readonly known: KnownFileSystem | null;
}

/** Magic numbers of statfs(2) on Linux. */
const KNOWN: { readonly [magic: number]: readonly [name: string, kind: FileSystemKind] } = {
  61267: ['ext', 'plain'],
  1481003842: ['xfs', 'plain'],
  2435016766: ['btrfs', 'plain'],
  801189825: ['zfs', 'plain'],
  4076150800: ['f2fs', 'plain'],
  16914836: ['tmpfs', 'memory'],
  2240043254: ['ramfs', 'memory'],
  26985: ['nfs', 'network'],
  20859: ['smb', 'network'],
  4283649346: ['cifs', 'network'],
  4266872130: ['smb2', 'network'],
  16914839: ['9p', 'network'],
  1702057286: ['fuse or virtiofs', 'network'],
  12805120: ['ceph', 'network'],
  198183888: ['lustre', 'network'],
  1397113167: ['afs', 'network'],
  18225520: ['gfs2', 'network'],
  1952539503: ['ocfs2', 'network'],
  1196443219: ['gpfs', 'network'],
  428016422: ['beegfs', 'network'],
  2020557398: ['vboxsf', 'network'],
  3133910204: ['vmhgfs', 'network'],
  1785031267: ['prl_fs', 'network'],
  2035054128: ['overlay', 'union'],
  1635083891: ['aufs', 'union'],
};

/** The file system of the folder `dir`. Follows links. Throws an errno if `statfs` fails. */
export function fileSystemAt(dir: string): FileSystem {
  // The number is negative on a 32-bit system.
  const magic = statfsSync(dir).type >>> 0;
  return { magic, known: process.platform === 'linux' ? knownAs(magic) : null };
}

export function knownAs(magic: number): KnownFileSystem | null {
  const found = KNOWN[magic];
  return found === undefined ? null : { name: found[0], kind: found[1] };
}
