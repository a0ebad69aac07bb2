/**
 * Watches one folder by the kernel's own notices. A busy folder costs a comparison of names.
 */
import { watch } from 'node:fs';
import type { OpenFolder } from './notices.ts';

export const openPlainly: OpenFolder = ({ dir }, { noticed, ready, failed }) => {
  const watcher = watch(dir, { persistent: false }, (_event, name) => noticed(name));
  watcher.on('error', (error: NodeJS.ErrnoException) => failed(error.code ?? error.message));
  // The kernel counts from the moment the watch is set.
  ready();
  return () => watcher.close();
};
