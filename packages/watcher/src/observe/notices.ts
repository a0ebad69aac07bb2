/**
 * Observes folders by change notices: one watch per folder, moved when the path leads to another
 * folder.
 * How one folder is watched is passed in; `poll.ts` works without notices.
 */
import { basename } from 'node:path';
import { identifyFolder, type PresentFolder } from '@fleet-estop/sentinel-core';
import { type Folder, type Notify, notifyFirst, type SentinelObserver } from './observer.ts';

export interface FolderListener {
  /** null: the name of the entry is unknown. */
  noticed(name: string | null): void;
  /** From now on changes are noticed. */
  ready(): void;
  /** No more changes will be noticed; an errno. */
  failed(why: string): void;
}

/** Watches one folder without its subfolders. May throw an errno. Answers how to stop. */
export type OpenFolder = (folder: Folder, listener: FolderListener) => () => void;

interface Watch {
  readonly id: string;
  readonly device: bigint;
  readonly stop: () => void;
  failed: boolean;
  /** The notice had the folder's own name: it was removed, renamed, or only changed its mode. */
  doubtful: boolean;
}

export interface NoticeObserver extends SentinelObserver {
  /** Device of a watched folder at the last call of `watch`. */
  deviceOf(dir: string): bigint | null;
}

export function observeByNotices(open: OpenFolder, notify: Notify): NoticeObserver {
  const watches = new Map<string, Watch>();
  const deaf = new Map<string, string>();
  let wanted: readonly Folder[] = [];

  const stopWatch = (dir: string) => {
    watches.get(dir)?.stop();
    watches.delete(dir);
    deaf.delete(dir);
  };

  const stopAllBut = (folders: readonly Folder[]) => {
    const dirs = new Set(folders.map(({ dir }) => dir));
    for (const dir of [...watches.keys(), ...deaf.keys()]) if (!dirs.has(dir)) stopWatch(dir);
  };

  const startWatch = (folder: Folder, { id, device }: PresentFolder) => {
    const { dir } = folder;
    let stopped = false;
    let close = () => {};
    const watch: Watch = {
      id,
      device,
      failed: false,
      doubtful: false,
      stop() {
        stopped = true;
        close();
      },
    };
    const fail = (why: string) => {
      watch.failed = true;
      deaf.set(dir, why);
    };
    watches.set(dir, watch);
    try {
      close = open(folder, {
        noticed(name) {
          if (stopped || !matters(folder, name)) return;
          if (name === basename(dir)) watch.doubtful = true;
          notify(dir, nameInside(dir, name));
        },
        ready() {
          if (!stopped && !watch.failed) notifyFirst(folder, notify);
        },
        failed(why) {
          // Without a notification: the look after it would start the watch again, fail again, and
          // so on.
          if (!stopped) fail(why);
        },
      });
    } catch (error) {
      fail((error as NodeJS.ErrnoException).code ?? String(error));
    }
  };

  const observe = (folder: Folder) => {
    const { dir } = folder;
    const found = identifyFolder(dir);
    const watch = watches.get(dir);
    if (found.state !== 'present') {
      stopWatch(dir);
      if (found.state === 'unreadable') deaf.set(dir, found.why);
      return;
    }
    if (watch?.id === found.id && !watch.failed && !watch.doubtful) return;
    // Close first: chokidar shares one watch per path, even a dead one.
    stopWatch(dir);
    // Identified before the watch starts: if the folder is replaced in between, the next call sees
    // it.
    startWatch(folder, found);
  };

  return {
    deaf,
    polled: 0,
    deviceOf: (dir) => watches.get(dir)?.device ?? null,
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

/** Notices about the folder itself (removed or renamed) have its own name. */
function matters({ dir, names }: Folder, name: string | null): boolean {
  return name === null || names === null || names.includes(name) || name === basename(dir);
}

const nameInside = (dir: string, name: string | null): string | null =>
  name === basename(dir) ? null : name;
