/**
 * Notifies when a sentinel may have changed. A notification is a hint to look again, never a
 * statement [9].
 * `disk/check.ts` reads the state, `follow.ts` decides how often to look without a notification,
 * and `files/nearest-folder.ts` finds the folder to which a path leads.
 */

import { type FSWatcher, watch } from 'node:fs';
import { basename } from 'node:path';
import { SENTINEL, TENURE } from '../disk/names.ts';
import { codeOrText } from '../files/errno.ts';
import { type NearestFolder, nearestFolderTo } from '../files/nearest-folder.ts';

/** The folders to watch. */
export interface Watched {
  /** Folders whose `ESTOP` matters. An absent folder causes a notification when it appears. */
  readonly scopes: readonly string[];
  /** Folders whose entries matter, since new profiles appear there. */
  readonly shapes?: readonly string[];
}

/** Watches folders, and reports those that it cannot watch. */
export interface ChangeNotifier {
  /**
   * Folders that cannot be watched (they may not be entered, or the kernel grants no more watches),
   * with the errno. Only regular looks see changes there.
   */
  readonly deaf: ReadonlyMap<string, string>;
  /**
   * Watches these folders and no others. Returns true if a watch was started, because a folder is
   * new or replaced another one. Then look once more for changes before the watch, and call this
   * again.
   */
  watch(watched: Watched): boolean;
  /** The next `watch` checks for every folder whether its path still leads to it. */
  doubt(): void;
  close(): void;
}

interface FolderWatch {
  readonly at: NearestFolder;
  watcher: FSWatcher | null;
  doubtful: boolean;
}

/**
 * Creates a change notifier that calls `notify`. Watch a folder BEFORE the look that counts;
 * otherwise a change between the look and the watch is missed. `notify` may be called late, twice
 * or without a change. Throws nothing: a folder that cannot be watched is in `deaf`.
 */
export function changeNotifier(notify: () => void): ChangeNotifier {
  const watches = new Map<string, FolderWatch>();
  const deaf = new Map<string, string>();
  let shaped: ReadonlySet<string> = new Set();
  let allDoubtful = false;

  const drop = (dir: string): void => {
    const folderWatch = watches.get(dir);
    watches.delete(dir);
    deaf.delete(dir);
    folderWatch?.watcher?.close();
  };

  const fail = (dir: string, folderWatch: FolderWatch, error: unknown): void => {
    if (watches.get(dir) !== folderWatch) return;
    folderWatch.watcher?.close();
    folderWatch.watcher = null;
    deaf.set(dir, codeOrText(error));
  };

  const onEvent = (
    dir: string,
    folderWatch: FolderWatch,
    event: string,
    name: string | null,
  ): void => {
    if (watches.get(dir) !== folderWatch) return;
    const { folder, missing } = folderWatch.at;
    // An event about the folder itself (removed, renamed, mode changed) carries its own name. Its
    // inode number may be given to the next folder, so only a new watch is certain.
    const isItself = name === null || name === basename(folder) || name === missing;
    // Other folders may lie below the entry that came or went.
    const isShape = missing === null && event === 'rename' && shaped.has(dir);
    // When a tenure ends, a look that was taken during it may be out of date.
    const isHeld = missing === null && (name?.startsWith(SENTINEL) || name === TENURE);
    if (isItself) folderWatch.doubtful = true;
    if (isShape) allDoubtful = true;
    if (isItself || isShape || isHeld) notify();
  };

  /** true: changes there cause notifications from now on. */
  const startWatch = (dir: string, at: NearestFolder): boolean => {
    // Close the old watch first: watches of one path are shared, a dead one too.
    drop(dir);
    const folderWatch: FolderWatch = { at, watcher: null, doubtful: false };
    watches.set(dir, folderWatch);
    try {
      const { folder } = at;
      folderWatch.watcher = watch(folder, { persistent: false }, (event, name) =>
        onEvent(dir, folderWatch, event, name),
      );
    } catch (error) {
      fail(dir, folderWatch, error);
      return false;
    }
    // Do not notify: the look that follows would start the watch again, which would fail again, and
    // so on.
    folderWatch.watcher.on('error', (error) => fail(dir, folderWatch, error));
    // The folder may have appeared before the watch started.
    folderWatch.doubtful = at.missing !== null && nearestFolderTo(dir).identity !== at.identity;
    return true;
  };

  const renew = (dir: string, inDoubt: boolean): boolean => {
    const folderWatch = watches.get(dir);
    if (folderWatch !== undefined && !inDoubt && !folderWatch.doubtful) return false;
    // Read before the watch starts: a later replacement of the folder is then reported.
    const at = nearestFolderTo(dir);
    const isSame = folderWatch?.at.identity === at.identity && folderWatch.watcher !== null;
    return isSame && !folderWatch.doubtful ? false : startWatch(dir, at);
  };

  return {
    deaf,
    watch({ scopes, shapes = [] }) {
      const inDoubt = allDoubtful;
      allDoubtful = false;
      shaped = new Set(shapes);
      const wanted = new Set([...scopes, ...shapes]);
      for (const dir of watches.keys()) if (!wanted.has(dir)) drop(dir);
      let isAnew = false;
      for (const dir of wanted) isAnew = renew(dir, inDoubt) || isAnew;
      return isAnew;
    },
    doubt() {
      allDoubtful = true;
    },
    close() {
      for (const dir of [...watches.keys()]) drop(dir);
    },
  };
}
