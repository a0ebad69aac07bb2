/**
 * Watches one folder with chokidar, whose `raw` event is only a doorbell: its cooked events come
 * late, and of fast toggles they lose the last.
 */
import { watch } from 'chokidar';
import type { OpenFolder } from './notices.ts';
import { openPlainly } from './plain-folder.ts';

/** A folder of 1,000 entries takes chokidar a tenth of it; being wrong costs a watch of another kind. */
const READY_MS = 1_000;

export const openWithChokidar: OpenFolder = (folder, listener) => {
  const { dir } = folder;
  const watcher = watch(dir, {
    depth: 0,
    // Entries ring through their folder; a watch of their own would only cost.
    ignored: (path) => path !== dir,
    ignoreInitial: true,
    atomic: false,
    usePolling: false,
  });
  let stop = () => {
    clearTimeout(readyTimer);
    void watcher.close();
  };
  // chokidar 5 reads a folder before it watches it, and gives up without a word where it meets a
  // link through a plain file. One bad entry must not make a folder deaf.
  const fallBackToNative = () => {
    stop();
    try {
      stop = openPlainly(folder, listener);
    } catch (error) {
      stop = () => {};
      listener.failed((error as NodeJS.ErrnoException).code ?? String(error));
    }
  };
  const readyTimer = setTimeout(fallBackToNative, READY_MS).unref();
  let failed = false;
  watcher.on('raw', (_event, name) => listener.noticed(name));
  watcher.on('error', (error) => {
    failed = true;
    clearTimeout(readyTimer);
    listener.failed((error as NodeJS.ErrnoException).code ?? String(error));
  });
  watcher.on('ready', () => {
    clearTimeout(readyTimer);
    // CHOKIDAR_USEPOLLING in the environment overrules us, and polling a folder misses what is
    // written into a file of it.
    if (watcher.options.usePolling) fallBackToNative();
    else if (!failed) listener.ready();
  });
  return () => stop();
};
