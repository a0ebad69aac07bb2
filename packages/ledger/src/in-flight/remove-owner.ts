/**
 * Removes what owners have in a register: their folders, and what they prepare in them.
 * Whoever else may write in the home may put links there: none is followed.
 */
import { join } from 'node:path';
import { removeFolder, withinFolder, withinRecords } from '@fleet-estop/sentinel-core';
import { failureOf } from './errno.ts';
import { ownersFolder } from './names.ts';

/** The folder of an owner, or of one claim that it has prepared. As far as the disk lets. */
export function removeOwner(home: string, owner: string, prepared?: string): void {
  failureOf(() =>
    withinRecords(join(home, '.fleet'), (fleet) =>
      withinFolder(fleet, FOLDERS, (owners) => {
        if (prepared === undefined) removeFolder(owners, owner, 2);
        else withinFolder(owners, [owner], (own) => removeFolder(own, prepared, 1));
      }),
    ),
  );
}

/** From `.fleet` to the folder of owners. */
const FOLDERS = ownersFolder('').split('/').slice(1);
