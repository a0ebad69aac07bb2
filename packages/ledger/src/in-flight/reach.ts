/**
 * Reaches what is to be changed in a register without going through a link: whoever may write in the
 * home may put one in the place of any folder, at any moment, and root would follow it.
 * Reading is by path: it changes nothing.
 */
import { join } from 'node:path';
import { withinFolder, withinRecords } from '@fleet-estop/sentinel-core';

/**
 * Runs `call` with a path that leads to this entry of the home's `.fleet/`, whatever becomes of the
 * folders above it. Throws an errno, ENOTDIR for a link below `.fleet`, `link-of-another` for that one.
 */
export function reach<T>(home: string, path: string, call: (path: string) => T): T {
  const fleet = join(home, '.fleet');
  const folders = path.slice(fleet.length + 1).split('/');
  const name = folders.pop() ?? '';
  return withinRecords(fleet, (records) =>
    withinFolder(records, folders, (folder) => call(`${folder}/${name}`)),
  );
}
