/**
 * Reaches a folder below a scope without going through a link. Whoever owns the scope may put a link
 * there at any moment, and a system call by path follows links in its middle, with the rights of
 * whoever makes it.
 * Which parts of a path lie below a scope is `names.ts`.
 *
 * INVARIANT: each folder is opened relative to the one before, is no link, and is closed when `act`
 * returns. A folder that stayed open over two calls would break the fencing: a robbed owner must
 * find nothing at its next call.
 */
import { closeSync, constants, lstatSync, openSync, type Stats } from 'node:fs';
import { failureOf } from './errno.ts';

/** Opens no more than the way to it: needs no right to read it. Linux, and not in Node's constants. */
const O_PATH = 0o10_000_000;
export const THROUGH = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Runs `act` with a path that leads to `start/…folders`. `start` may be a link; what comes after it may
 * not: ENOTDIR, as for any other file in a folder's place.
 */
export function withinFolder<T>(
  start: string,
  folders: readonly string[],
  act: (folder: string) => T,
): T {
  if (!hasHandlePaths()) return act(looked(start, folders));
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
 * Where no path leads to an open folder (macOS), each is looked at, and then the path is used: whoever
 * owns the scope can still put a link there between the two.
 */
function looked(start: string, folders: readonly string[]): string {
  let folder = start;
  for (const name of folders) {
    folder = `${folder}/${name}`;
    if (!lstatSync(folder).isDirectory()) {
      throw Object.assign(new Error(`ENOTDIR: ${folder}`), { code: 'ENOTDIR' });
    }
  }
  return folder;
}

/** Leads to what is open, wherever it is by now. */
export const handlePath = (fd: number): string => `/proc/self/fd/${fd}`;

let handlePaths: boolean | undefined;

/** Is `/proc` there? Asked once: a path into a missing one would say of everything that it is absent. */
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
