/**
 * Removes an owner's folder, or one prepared claim in it.
 * Links are not followed: other writers of the home could have created them.
 */
import { join } from 'node:path';
import { failureOf, removeFolder, withinFolder, withinRecords } from '@fleet-estop/sentinel-core';
import { ownersFolder } from './names.ts';

/** Removes the owner's folder, or only the claim `prepared` in it. Failures are ignored. */
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
