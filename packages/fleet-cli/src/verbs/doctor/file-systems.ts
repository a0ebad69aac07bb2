/**
 * Examines the file systems of the fleet: where changes send no notification, and where holds do not survive a
 * restart. Detecting the type is `fileSystemAt` of the core.
 */

import { statSync } from 'node:fs';
import { codeOrText, type FileSystem, fileSystemAt } from '@fleet-estop/sentinel-core';
import type { FleetSettings } from '@fleet-estop/settings';
import { readFleetFile } from '../../fleet/settings.ts';
import type { ExaminedFleet, Finding } from './finding.ts';

export type Observe = NonNullable<FleetSettings['observe']>;

export async function examineFileSystems({ root, scopes }: ExaminedFleet): Promise<Finding[]> {
  if (process.platform !== 'linux') {
    const what = 'the type of file system is known on Linux only';
    return [{ level: 'note', check: 'file-system', what }];
  }
  // Rejected settings are reported by their own examination.
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
        what: `the type of its file system cannot be read (${codeOrText(error)})`,
        where: dir,
        unexamined: true,
      });
    }
  }
  return findings;
}

/** `observe`: the setting in `fleet.yaml`. */
export function judgeFileSystem(
  where: string,
  { magic, known }: FileSystem,
  observe: Observe,
): Finding {
  const at = { check: 'file-system', where } as const;
  if (known === null) {
    const what = `on an unknown type of file system, 0x${magic.toString(16)}`;
    return { ...at, level: 'note', what };
  }
  const { name, kind } = known;
  switch (kind) {
    case 'plain':
      return { ...at, level: 'ok', what: `on ${name}` };
    case 'memory': {
      const what = `on ${name}: it is kept in memory: a restart of the host removes every hold`;
      return { ...at, level: 'warning', what, todo: 'keep the fleet on a disk' };
    }
    case 'network': {
      const { seen, todo } = silence(observe);
      const what = `on ${name}: changes made on other hosts send no notification: ${seen}`;
      return todo === null
        ? { ...at, level: 'note', what }
        : { ...at, level: 'warning', what, todo };
    }
    case 'union': {
      const { seen, todo } = silence(observe);
      const what = `on ${name}: a container has its own copy of it: a hold that is placed elsewhere never arrives here, so a gate here stays open, and holds disappear with the container; changes below the mount send no notification: ${seen}`;
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

/** How changes are seen there, and what to do; `todo` is null if the watcher polls. */
function silence(observe: Observe): { readonly seen: string; readonly todo: string | null } {
  if (observe === 'auto' || observe === 'poll') {
    return { seen: `a watcher polls there (\`observe: ${observe}\`)`, todo: null };
  }
  const seen = `with \`observe: ${observe}\` a watcher sees them only by its sweep`;
  return { seen, todo: 'set `observe: auto` in fleet.yaml' };
}
