/**
 * Reaches a folder below a scope without following a link. The owner of the scope may put a link
 * there at any moment, and a system call by path follows links in the middle of the path with the
 * rights of its caller.
 * `disk/names.ts` decides which parts of a path lie below a scope. Decision:
 * `2026-11-30-links-below-a-scope.md`.
 *
 * INVARIANT: each folder is opened relative to the one before, is no link, and is closed when `act`
 * returns. A folder that stayed open over two calls would break the fencing: a robbed owner must
 * find nothing at its next call.
 */
import { closeSync, constants, lstatSync, openSync, type Stats } from 'node:fs';
import { failureOf } from './errno.ts';

/**
 * Opens a folder only to pass through it, which needs no right to read it. Linux only, and not in
 * Node's constants.
 */
const O_PATH = 0o10_000_000;
export const THROUGH = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Runs `act` with a path to `start/…folders` and returns its result. `start` may be a link; the
 * folders after it may not: ENOTDIR, as for any other file in the place of a folder. Throws an
 * errno. On macOS the folders are checked first and then used by path, which leaves a short window.
 */
export function withinFolder<T>(
  start: string,
  folders: readonly string[],
  act: (folder: string) => T,
): T {
  if (!hasHandlePaths()) return act(checkedPath(start, folders));
  let folder = start;
  let fd = -1;
  try {
    for (const name of folders) {
      const next = openSync(`${folder}/${name}`, THROUGH);
      if (fd !== -1) closeSync(fd);
      fd = next;
      folder = handlePath(fd);
    }
    return act(folder);
  } finally {
    if (fd !== -1) closeSync(fd);
  }
}

/**
 * Checks each folder and returns the path, for systems where no path leads to an open folder
 * (macOS). The owner of the scope can still put a link there between the check and the use.
 */
function checkedPath(start: string, folders: readonly string[]): string {
  let folder = start;
  for (const name of folders) {
    folder = `${folder}/${name}`;
    if (!lstatSync(folder).isDirectory()) {
      throw Object.assign(new Error(`ENOTDIR: ${folder}`), { code: 'ENOTDIR' });
    }
  }
  return folder;
}

/** A path to the open file or folder, wherever it is now. */
export const handlePath = (fd: number): string => `/proc/self/fd/${fd}`;

let handlePaths: boolean | undefined;

/**
 * Whether `/proc` works. Asked once: a path into a missing `/proc` would make everything look
 * absent.
 */
export function hasHandlePaths(): boolean {
  handlePaths ??= process.platform === 'linux' && leadsBack();
  return handlePaths;
}

function leadsBack(): boolean {
  const fd = openSync('/', THROUGH);
  try {
    let there: Stats | undefined;
    failureOf(() => {
      there = lstatSync(`${handlePath(fd)}/.`);
    });
    const { dev, ino } = lstatSync('/');
    return there?.ino === ino && there.dev === dev;
  } finally {
    closeSync(fd);
  }
}
