/**
 * Opens the path of a register entry for a change without following links: any writer of the home could
 * replace a folder by a link at any moment, and root would follow it.
 * Reading uses plain paths, since it changes nothing.
 */
import { join } from 'node:path';
import { withinFolder, withinRecords } from '@fleet-estop/sentinel-core';

/**
 * Calls `call` with a path to this entry of the home's `.fleet/` that stays valid even if folders above it
 * are replaced. Throws an errno; ENOTDIR for a link below `.fleet`; `link-of-another` if `.fleet` itself
 * is a link of another user.
 */
export function reach<T>(home: string, path: string, call: (path: string) => T): T {
  const fleet = join(home, '.fleet');
  const folders = path.slice(fleet.length + 1).split('/');
  const name = folders.pop() ?? '';
  return withinRecords(fleet, (records) =>
    withinFolder(records, folders, (folder) => call(`${folder}/${name}`)),
  );
}
