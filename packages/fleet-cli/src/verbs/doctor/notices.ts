/**
 * Examines whether the kernel allows as many file watches as a fleet of this size needs. Without them, changes
 * are seen seconds later.
 */

import { readFileSync } from 'node:fs';
import { codeOrText } from '@fleet-estop/sentinel-core';
import { counted } from '../../text/fields.ts';
import type { ExaminedFleet, Finding } from './finding.ts';

const FOLDER = '/proc/sys/fs/inotify';
/** Watches besides those of profiles: the root, the cluster, `profiles/`, `.fleet/`, and other programs. */
const OTHER_WATCHES = 64;
/**
 * Programs of one user that watch: a watcher, and every `status --watch`, `gate --wait` and `assert
 * --within`.
 */
const MIN_INSTANCES = 32;

export function examineNotices({ scopes }: ExaminedFleet): Finding[] {
  if (process.platform !== 'linux') {
    const what = 'limits on file watches are known on Linux only';
    return [{ level: 'note', check: 'notices', what }];
  }
  const needed = scopes.length + OTHER_WATCHES;
  const findings = [
    ...examine('max_user_watches', needed, `${counted(scopes.length, 'scope')} and what else runs`),
    ...examine('max_user_instances', MIN_INSTANCES, 'as many programs that watch'),
  ];
  if (findings.length > 0) return findings;
  const what = `the kernel grants enough watches for ${counted(scopes.length, 'scope')}`;
  return [{ level: 'ok', check: 'notices', what }];
}

function examine(name: string, needed: number, forWhat: string): Finding[] {
  const path = `${FOLDER}/${name}`;
  let limit: number;
  try {
    limit = Number(readFileSync(path, 'utf8'));
  } catch (error) {
    const what = `the limit on file watches cannot be read (${codeOrText(error)})`;
    return [{ level: 'warning', check: 'notices', what, where: path, unexamined: true }];
  }
  if (limit >= needed) return [];
  const what = `${limit} for each user, and ${needed} are needed for ${forWhat}: changes may be seen late`;
  const todo = `sysctl fs.inotify.${name}=${Math.max(8192, 4 * needed)}`;
  return [{ level: 'warning', check: 'notices', what, where: path, todo }];
}
