/**
 * Watches one folder with chokidar. Only its `raw` event is used, as a notification to look again:
 * its cooked events come late and lose the last of several fast toggles.
 */
import { codeOrText, type OpenFolder, openPlainly } from '@fleet-estop/sentinel-core';
import { watch } from 'chokidar';

/**
 * For 1,000 entries chokidar needs a tenth of this. If we give up too early, `fs.watch` is used
 * instead.
 */
const READY_MS = 1_000;

export const openWithChokidar: OpenFolder = (folder, listener) => {
  const { dir } = folder;
  const watcher = watch(dir, {
    depth: 0,
    // Changes of entries are reported through their folder; a watch for each entry would be wasted.
    ignored: (path) => path !== dir,
    ignoreInitial: true,
    atomic: false,
    usePolling: false,
  });
  let stop = () => {
    clearTimeout(readyTimer);
    void watcher.close();
  };
  // chokidar 5 reads a folder before it watches it, and silently gives up at a link through a plain
  // file. One bad entry must not leave a folder unwatched.
  const fallBackToNative = () => {
    stop();
    try {
      stop = openPlainly(folder, listener);
    } catch (error) {
      stop = () => {};
      listener.failed(codeOrText(error));
    }
  };
  const readyTimer = setTimeout(fallBackToNative, READY_MS).unref();
  let failed = false;
  watcher.on('raw', (_event, name) => listener.noticed(name));
  watcher.on('error', (error) => {
    failed = true;
    clearTimeout(readyTimer);
    listener.failed(codeOrText(error));
  });
  watcher.on('ready', () => {
    clearTimeout(readyTimer);
    // CHOKIDAR_USEPOLLING in the environment overrides our option, and polling a folder misses
    // writes to a file in it.
    if (watcher.options.usePolling) fallBackToNative();
    else if (!failed) listener.ready();
  });
  return () => stop();
};
