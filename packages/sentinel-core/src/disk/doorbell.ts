/**
 * Rings when a sentinel may have changed: a hint to look again, never a statement [9].
 * What stands is only ever read by `check`; how often to look without a hint is `follow.ts`.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename } from 'node:path';
import { SENTINEL, TENURE } from './names.ts';

export interface Doorbell {
  /**
   * Folders that cannot be watched (they do not exist, or the kernel grants no more watches), with
   * the errno: only looking again from time to time shows what happens there.
   */
  readonly deaf: ReadonlyMap<string, string>;
  close(): void;
}

export interface Watched {
  /** Folders whose `ESTOP` matters. */
  readonly scopes: readonly string[];
  /** Folders in which entries come and go: new profiles. */
  readonly shapes?: readonly string[];
}

/**
 * Set it up BEFORE the first look, or a change between the look and the watch is missed. `ring` may
 * come late, twice, or for nothing.
 */
export function doorbell({ scopes, shapes = [] }: Watched, ring: () => void): Doorbell {
  const watchers: FSWatcher[] = [];
  const deaf = new Map<string, string>();
  const shaped = new Set(shapes);
  for (const dir of new Set([...scopes, ...shapes])) {
    try {
      const watcher = watch(dir, { persistent: false }, (event, name) => {
        if (shaped.has(dir) && event === 'rename') ring();
        // A folder that is itself removed or renamed reports its own name. When a tenure ends, a
        // look that was taken under it may be out of date.
        else if (name === null || name.startsWith(SENTINEL) || name === TENURE) ring();
        else if (name === basename(dir)) ring();
      });
      watcher.on('error', (error) => {
        deaf.set(dir, codeOf(error));
        ring();
      });
      watchers.push(watcher);
    } catch (error) {
      deaf.set(dir, codeOf(error));
    }
  }
  return {
    deaf,
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
