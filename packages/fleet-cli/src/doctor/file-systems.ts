/**
 * What follows from the file systems that the fleet lies on: where changes come without a notice, and
 * where holds do not outlive a restart. Which they are is `fileSystemAt` of the core.
 */
import { statSync } from 'node:fs';
import { type FileSystem, type FileSystemKind, fileSystemAt } from '@fleet-estop/sentinel-core';
import { errnoOf, type Finding, type Ground } from './finding.ts';

const ADVICE: {
  readonly [kind in Exclude<FileSystemKind, 'plain'>]: readonly [what: string, todo: string];
} = {
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
      findings.push(judge(dir, fileSystemAt(dir)));
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

function judge(where: string, { magic, known }: FileSystem): Finding {
  if (known === null) {
    const what = `on a file system of type 0x${magic.toString(16)}, of which nothing is known here`;
    return { level: 'note', check: 'file-system', what, where };
  }
  const { name, kind } = known;
  if (kind === 'plain') return { level: 'ok', check: 'file-system', what: `on ${name}`, where };
  const [what, todo] = ADVICE[kind];
  return { level: 'warning', check: 'file-system', what: `on ${name}: ${what}`, where, todo };
}
