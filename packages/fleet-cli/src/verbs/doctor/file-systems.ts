/**
 * What follows from the file systems that the fleet lies on: where changes come without a notice, and
 * where holds do not outlive a restart. Which they are is `fileSystemAt` of the core.
 */

import { statSync } from 'node:fs';
import { type FileSystem, fileSystemAt } from '@fleet-estop/sentinel-core';
import type { FleetSettings } from '@fleet-estop/settings';
import { readFleetFile } from '../../fleet/settings.ts';
import { type ExaminedFleet, errnoOf, type Finding } from './finding.ts';

export type Observe = NonNullable<FleetSettings['observe']>;

export async function examineFileSystems({ root, scopes }: ExaminedFleet): Promise<Finding[]> {
  if (process.platform !== 'linux') {
    const what = 'the kind of file system is told on Linux only';
    return [{ level: 'note', check: 'file-system', what }];
  }
  // Settings that are refused are found by whoever examines them.
  const file = await readFleetFile(root.root);
  const observe = (file.state === 'read' ? file.settings.observe : undefined) ?? 'auto';
  const findings: Finding[] = [];
  const seen = new Set<number>();
  for (const { dir } of [{ dir: root.root }, ...scopes]) {
    try {
      const stats = statSync(dir, { throwIfNoEntry: false });
      if (stats === undefined || seen.has(stats.dev)) continue;
      seen.add(stats.dev);
      findings.push(judgeFileSystem(dir, fileSystemAt(dir), observe));
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

/** `observe`: as `fleet.yaml` says. */
export function judgeFileSystem(
  where: string,
  { magic, known }: FileSystem,
  observe: Observe,
): Finding {
  const at = { check: 'file-system', where } as const;
  if (known === null) {
    const what = `on a file system of type 0x${magic.toString(16)}, of which nothing is known here`;
    return { ...at, level: 'note', what };
  }
  const { name, kind } = known;
  switch (kind) {
    case 'plain':
      return { ...at, level: 'ok', what: `on ${name}` };
    case 'memory': {
      const what = `on ${name}: it is kept in memory: after a restart of the host nothing is paused any more`;
      return { ...at, level: 'warning', what, todo: 'keep the fleet on a disk' };
    }
    case 'network': {
      const { seen, todo } = silence(observe);
      const what = `on ${name}: changes made elsewhere come without a notice: ${seen}`;
      return todo === null
        ? { ...at, level: 'note', what }
        : { ...at, level: 'warning', what, todo };
    }
    case 'union': {
      const { seen, todo } = silence(observe);
      const what = `on ${name}: in a container it is a copy of its own: a hold that is placed elsewhere never comes here, so a gate here stays open, and holds go with the container; changes below the mount come without a notice: ${seen}`;
      const mount = 'mount a volume for the fleet';
      return {
        ...at,
        level: 'warning',
        what,
        todo: todo === null ? mount : `${mount}, or ${todo}`,
      };
    }
  }
}

/** `auto` polls such file systems by itself: then nothing is to be done. */
function silence(observe: Observe): { readonly seen: string; readonly todo: string | null } {
  if (observe === 'auto' || observe === 'poll') {
    return { seen: `a watcher polls there (\`observe: ${observe}\`)`, todo: null };
  }
  const seen = `with \`observe: ${observe}\` a watcher sees them only by its sweep`;
  return { seen, todo: 'set `observe: auto` in fleet.yaml' };
}
