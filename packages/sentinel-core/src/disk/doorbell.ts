/**
 * Rings when a sentinel may have changed: a hint to look again, never a statement [9].
 * What stands is only ever read by `check`; how often to look without a hint is the caller's.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename } from 'node:path';
import { SENTINEL } from './names.ts';

export interface Doorbell {
  /**
   * Folders that cannot be watched (they do not exist, or the kernel grants no more watches), with
   * the errno: only looking again from time to time shows what happens there.
   */
  readonly deaf: ReadonlyMap<string, string>;
  close(): void;
}

/**
 * Watches the folders for changes of `ESTOP`. Set it up BEFORE the first look, or a change between
 * the look and the watch is missed. `ring` may come late, twice, or for nothing.
 */
export function doorbell(dirs: readonly string[], ring: (dir: string) => void): Doorbell {
  const watchers: FSWatcher[] = [];
  const deaf = new Map<string, string>();
  for (const dir of new Set(dirs)) {
    try {
      const watcher = watch(dir, { persistent: false }, (_event, name) => {
        // A folder that is removed or renamed reports its own name.
        if (name === null || name.startsWith(SENTINEL) || name === basename(dir)) ring(dir);
      });
      watcher.on('error', (error) => {
        deaf.set(dir, (error as NodeJS.ErrnoException).code ?? error.message);
        ring(dir);
      });
      watchers.push(watcher);
    } catch (error) {
      deaf.set(dir, (error as NodeJS.ErrnoException).code ?? 'unknown');
    }
  }
  return {
    deaf,
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}
