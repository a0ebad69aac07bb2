/**
 * Removes a folder with what is in it from a folder that others may write in, through no link.
 * What the protocol removes is `tenure-entries.ts`, which empties no folder.
 */
import { opendirSync, rmdirSync, unlinkSync } from 'node:fs';
import { failureOf } from './errno.ts';
import { withinFolder } from './walk.ts';

/** More than any folder of ours has; what is beyond stays, and the folder with it. */
const MAX_ENTRIES = 1_024;

/** Folders so many deep; '' or the errno of what stays. */
export function removeFolder(parent: string, name: string, depth: number): string {
  const path = `${parent}/${name}`;
  const code = failureOf(() => unlinkSync(path));
  if (code !== 'EISDIR' && code !== 'EPERM') return code;
  if (depth > 0) {
    failureOf(() =>
      withinFolder(parent, [name], (folder) => {
        for (const inside of namesIn(folder)) removeFolder(folder, inside, depth - 1);
      }),
    );
  }
  return failureOf(() => rmdirSync(path));
}

function namesIn(folder: string): string[] {
  const names: string[] = [];
  const dir = opendirSync(folder);
  try {
    for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
      if (names.push(entry.name) === MAX_ENTRIES) break;
    }
  } finally {
    dir.closeSync();
  }
  return names;
}
