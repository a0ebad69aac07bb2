/**
 * What kind of file system the fleet lies on: on some, changes come without a notice, and on some,
 * holds do not outlive a restart.
 */
import { statfsSync, statSync } from 'node:fs';
import { errnoOf, type Finding, type Ground } from './finding.ts';

type Kind = 'plain' | 'network' | 'union' | 'memory';

/** Magic numbers of statfs(2) on Linux. */
const KNOWN: { readonly [magic: number]: readonly [name: string, kind: Kind] } = {
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

const ADVICE: { readonly [kind in Exclude<Kind, 'plain'>]: readonly [what: string, todo: string] } =
  {
    network: [
      'changes made elsewhere come without a notice: they are seen after seconds, not at once',
      'set `observe: poll` in fleet.yaml for the watcher, or keep the fleet on a local disk',
    ],
    union: [
      'changes below the mount come without a notice, and a layer of a container goes with it, holds included',
      'mount a volume for the fleet, or set `observe: poll` in fleet.yaml',
    ],
    memory: [
      'it is kept in memory: after a restart of the host nothing is paused any more',
      'keep the fleet on a disk',
    ],
  };

export function examineFileSystems({ root, scopes }: Ground): Finding[] {
  if (process.platform !== 'linux') {
    const what = 'the kind of file system is told on Linux only';
    return [{ level: 'note', check: 'file-system', what }];
  }
  const findings: Finding[] = [];
  const seen = new Set<number>();
  for (const { dir } of [{ dir: root.root }, ...scopes]) {
    try {
      const stats = statSync(dir, { throwIfNoEntry: false });
      if (stats === undefined || seen.has(stats.dev)) continue;
      seen.add(stats.dev);
      // Negative on a 32-bit system.
      findings.push(judge(dir, statfsSync(dir).type >>> 0));
    } catch (error) {
      findings.push({
        level: 'problem',
        check: 'file-system',
        what: `its file system cannot be told (${errnoOf(error)})`,
        where: dir,
        unexamined: true,
      });
    }
  }
  return findings;
}

function judge(where: string, magic: number): Finding {
  const known = KNOWN[magic];
  if (known === undefined) {
    const what = `on a file system of type 0x${magic.toString(16)}, of which nothing is known here`;
    return { level: 'note', check: 'file-system', what, where };
  }
  const [name, kind] = known;
  if (kind === 'plain') return { level: 'ok', check: 'file-system', what: `on ${name}`, where };
  const [what, todo] = ADVICE[kind];
  return { level: 'warning', check: 'file-system', what: `on ${name}: ${what}`, where, todo };
}
