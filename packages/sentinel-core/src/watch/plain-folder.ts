/**
 * Watches one folder with `fs.watch`. A busy folder costs one comparison of names per change.
 */
import { watch } from 'node:fs';
import type { OpenFolder } from './observer.ts';

export const openPlainly: OpenFolder = ({ dir }, { noticed, ready, failed }) => {
  const watcher = watch(dir, { persistent: false }, (_event, name) => noticed(name));
  watcher.on('error', (error: NodeJS.ErrnoException) => failed(error.code ?? error.message));
  // The kernel reports changes from the moment the watch is set.
  ready();
  return () => watcher.close();
};
