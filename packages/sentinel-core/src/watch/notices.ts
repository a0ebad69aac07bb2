/**
 * Notifies of changes by change notices: one watch per folder, moved when the path leads to another
 * folder.
 * How one folder is watched is passed in: `plain-folder.ts`, or chokidar in the watcher.
 */
import { basename } from 'node:path';
import { codeOrText } from '../files/errno.ts';
import { type NearestFolder, nearestFolderTo } from '../files/nearest-folder.ts';
import {
  type ChangeNotifier,
  type FolderListener,
  type Notify,
  notifyFirst,
  type OpenFolder,
  type WatchedFolder,
} from './observer.ts';
import { openPlainly } from './plain-folder.ts';

interface Watch {
  readonly at: NearestFolder;
  readonly stop: () => void;
  failed: boolean;
  /** The notice had the folder's own name: it was removed, renamed, or only changed its mode. */
  doubtful: boolean;
}

export interface NoticeNotifier extends ChangeNotifier {
  /** Device of a watched folder at the last call of `watch`; null: it is not watched. */
  deviceOf(dir: string): bigint | null;
}

export function notifyByNotices(open: OpenFolder, notify: Notify): NoticeNotifier {
  const watches = new Map<string, Watch>();
  const deaf = new Map<string, string>();
  let wanted: readonly WatchedFolder[] = [];

  const stopWatch = (dir: string): void => {
    watches.get(dir)?.stop();
    watches.delete(dir);
    deaf.delete(dir);
  };

  const stopAllBut = (folders: readonly WatchedFolder[]): void => {
    const dirs = new Set(folders.map(({ dir }) => dir));
    for (const dir of [...watches.keys(), ...deaf.keys()]) if (!dirs.has(dir)) stopWatch(dir);
  };

  const startWatch = (folder: WatchedFolder, at: NearestFolder): void => {
    const { dir, kind } = folder;
    let stopped = false;
    let close = (): void => {};
    const watch: Watch = {
      at,
      failed: false,
      doubtful: false,
      stop() {
        stopped = true;
        close();
      },
    };
    const fail = (why: string): void => {
      watch.failed = true;
      deaf.set(dir, why);
    };
    watches.set(dir, watch);
    const listener: FolderListener = {
      noticed(name) {
        if (stopped || !matters(folder, at, name)) return;
        if (name !== null && isItself(at, name)) watch.doubtful = true;
        notify(dir, isItself(at, name) ? null : name);
      },
      ready() {
        if (stopped || watch.failed) return;
        if (at.missing === null) notifyFirst(folder, notify);
        else if (nearestFolderTo(dir).identity !== at.identity) notify(dir, null);
      },
      failed(why) {
        // Without a notification: the look after it would start the watch again, fail again, and
        // so on.
        if (!stopped) fail(why);
      },
    };
    try {
      // The nearest folder may be a busy one of somebody else.
      close =
        at.missing === null
          ? open({ dir, kind }, listener)
          : openPlainly({ dir: at.folder, kind }, listener);
    } catch (error) {
      fail(codeOrText(error));
    }
  };

  const observe = (folder: WatchedFolder): void => {
    const { dir, awaited = false } = folder;
    // Identified before the watch starts: if the folder is replaced in between, the next call sees
    // it.
    const at = nearestFolderTo(dir);
    const watch = watches.get(dir);
    if (at.device === null || (at.missing !== null && !awaited)) {
      stopWatch(dir);
      if (at.why !== null) deaf.set(dir, at.why);
      return;
    }
    if (watch?.at.identity === at.identity && !watch.failed && !watch.doubtful) return;
    // Close first: watches of one path are shared, a dead one too.
    stopWatch(dir);
    startWatch(folder, at);
  };

  return {
    deaf,
    polled: 0,
    deviceOf: (dir) => watches.get(dir)?.at.device ?? null,
    watch(folders) {
      if (folders !== wanted) stopAllBut(folders);
      wanted = folders;
      folders.forEach(observe);
    },
    // Notices come whether or not somebody looks.
    looking() {},
    close() {
      for (const dir of [...watches.keys()]) stopWatch(dir);
    },
  };
}

function matters({ names }: WatchedFolder, at: NearestFolder, name: string | null): boolean {
  if (isItself(at, name)) return true;
  return at.missing === null && (names === null || (name !== null && names.includes(name)));
}

/** Notices about the folder itself (removed or renamed) have its own name, or none. */
const isItself = ({ folder, missing }: NearestFolder, name: string | null): boolean =>
  name === null || name === basename(folder) || name === missing;
