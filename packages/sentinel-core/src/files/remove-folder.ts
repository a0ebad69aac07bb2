/**
 * Removes a folder and its content from a folder in which others may write, without following a
 * link.
 * `disk/tenure-entries.ts` removes what the protocol leaves; it empties no folder.
 */
import { opendirSync, rmdirSync, unlinkSync } from 'node:fs';
import { failureOf } from './errno.ts';
import { withinFolder } from './walk.ts';

/** More entries than any folder of ours has. Further entries stay, and so does the folder. */
const MAX_ENTRIES = 1_024;

/**
 * Removes `<parent>/<name>`, with folders up to `depth` levels deep. Follows no link. Returns '' or
 * the errno of what could not be removed; throws no errno. Decision:
 * `2026-11-30-links-below-a-scope.md`.
 */
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
