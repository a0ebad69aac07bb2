/**
 * On which file systems changes can happen without a notice to this host.
 */
import { statfsSync } from 'node:fs';

/** Magic numbers of statfs(2) on Linux. Changes made by another host, or below a mount, are silent. */
const SILENT: { readonly [magic: number]: string } = {
  26985: 'nfs',
  20859: 'smb',
  4283649346: 'cifs',
  4266872130: 'smb2',
  16914839: '9p',
  1702057286: 'fuse or virtiofs',
  2035054128: 'overlay',
  1635083891: 'aufs',
  12805120: 'ceph',
  198183888: 'lustre',
  1397113167: 'afs',
  18225520: 'gfs2',
  1952539503: 'ocfs2',
  1196443219: 'gpfs',
  428016422: 'beegfs',
  2020557398: 'vboxsf',
  3133910204: 'vmhgfs',
  1785031267: 'prl_fs',
};

export const isSilent = (magic: number): boolean => Object.hasOwn(SILENT, magic);

/** Its name, where notices may not come; null: they do, or it cannot be told (not Linux). */
export function silentFileSystem(dir: string): string | null {
  if (process.platform !== 'linux') return null;
  try {
    // Negative on a 32-bit system.
    return SILENT[statfsSync(dir).type >>> 0] ?? null;
  } catch {
    return null;
  }
}
