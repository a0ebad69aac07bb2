/**
 * Whether the kernel grants as many watches as a fleet of this size needs. Without them, changes are
 * seen after seconds and not at once.
 */
import { readFileSync } from 'node:fs';
import { counted } from '../../text/fields.ts';
import { type ExaminedFleet, errnoOf, type Finding } from './finding.ts';

const FOLDER = '/proc/sys/fs/inotify';
/** Beside the lanes: the root, the cluster, `profiles/`, `.fleet/`, and those of other programs. */
const OTHER_WATCHES = 64;
/** Of one user: a watcher, and every `status --watch`, `gate --wait` and `assert --within`. */
const MIN_INSTANCES = 32;

export function examineNotices({ scopes }: ExaminedFleet): Finding[] {
  if (process.platform !== 'linux') {
    const what = 'limits on watching are told on Linux only';
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
    const what = `how many watches the kernel grants cannot be told (${errnoOf(error)})`;
    return [{ level: 'warning', check: 'notices', what, where: path, unexamined: true }];
  }
  if (limit >= needed) return [];
  const what = `${limit} for each user, and ${needed} are needed for ${forWhat}: changes may be seen late`;
  const todo = `sysctl fs.inotify.${name}=${Math.max(8192, 4 * needed)}`;
  return [{ level: 'warning', check: 'notices', what, where: path, todo }];
}
