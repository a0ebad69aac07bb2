/**
 * What kind of file system a folder lies on: on some, changes come without a notice, and on some,
 * holds do not outlive a restart. What follows from that is the caller's.
 */
import { statfsSync } from 'node:fs';

/**
 * network: another host changes it without a notice here. union: so does whoever writes below it, and
 * a layer of a container goes with it. memory: it goes with a restart of the host.
 */
export type FileSystemKind = 'plain' | 'network' | 'union' | 'memory';

export interface KnownFileSystem {
  readonly name: string;
  readonly kind: FileSystemKind;
}

export interface FileSystem {
  /** Its number in statfs(2), which means another thing on every kernel. */
  readonly magic: number;
  /** null: nothing is known of it; and off Linux, of none. */
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

/** Follows links. Throws an errno where it cannot be told. */
export function fileSystemAt(dir: string): FileSystem {
  // Negative on a 32-bit system.
  const magic = statfsSync(dir).type >>> 0;
  return { magic, known: process.platform === 'linux' ? knownAs(magic) : null };
}

export function knownAs(magic: number): KnownFileSystem | null {
  const found = KNOWN[magic];
  return found === undefined ? null : { name: found[0], kind: found[1] };
}
