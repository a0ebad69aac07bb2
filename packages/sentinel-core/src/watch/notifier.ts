/**
 * Rings when a sentinel may have changed: a hint to look again, never a statement [9].
 * What stands is only ever read by `check`; how often to look without a hint is `follow.ts`, and
 * which folder a path leads to is `whereabouts.ts`.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename } from 'node:path';
import { SENTINEL, TENURE } from '../disk/names.ts';
import { type Whereabouts, whereaboutsOf } from '../files/nearest-folder.ts';

export interface Watched {
  /** Folders whose `ESTOP` matters. One that is absent rings when it comes. */
  readonly scopes: readonly string[];
  /** Folders in which entries come and go: new profiles. */
  readonly shapes?: readonly string[];
}

export interface Doorbell {
  /**
   * Folders that cannot be watched (they may not be entered, or the kernel grants no more watches),
   * with the errno: only looking again from time to time shows what happens there.
   */
  readonly deaf: ReadonlyMap<string, string>;
  /**
   * Watches these folders and no others. Answers whether one of them is watched anew, since it is
   * new or took another's place: then look once more for what happened before, and call this again.
   */
  watch(watched: Watched): boolean;
  /** The next `watch` sees for every folder whether its path still leads to it. */
  doubt(): void;
  close(): void;
}

interface Ear {
  readonly at: Whereabouts;
  watcher: FSWatcher | null;
  doubtful: boolean;
}

/**
 * Set it up BEFORE the look that counts, or a change between the look and the watch is missed. `ring`
 * may come late, twice, or for nothing.
 */
export function doorbell(ring: () => void): Doorbell {
  const ears = new Map<string, Ear>();
  const deaf = new Map<string, string>();
  let shaped: ReadonlySet<string> = new Set();
  let allDoubtful = false;

  const drop = (dir: string): void => {
    const ear = ears.get(dir);
    ears.delete(dir);
    deaf.delete(dir);
    ear?.watcher?.close();
  };

  const fail = (dir: string, ear: Ear, error: unknown): void => {
    if (ears.get(dir) !== ear) return;
    ear.watcher?.close();
    ear.watcher = null;
    deaf.set(dir, (error as NodeJS.ErrnoException).code ?? String(error));
  };

  const heard = (dir: string, ear: Ear, event: string, name: string | null): void => {
    if (ears.get(dir) !== ear) return;
    const { folder, missing } = ear.at;
    // A folder that is itself removed, renamed, or changed in mode says its own name. Its number may
    // go to the next one that is made, and so only a new watch is certain.
    const isItself = name === null || name === basename(folder) || name === missing;
    // Others may be below what came or went here.
    const isShape = missing === null && event === 'rename' && shaped.has(dir);
    // When a tenure ends, a look that was taken under it may be out of date.
    const isHeld = missing === null && (name?.startsWith(SENTINEL) || name === TENURE);
    if (isItself) ear.doubtful = true;
    if (isShape) allDoubtful = true;
    if (isItself || isShape || isHeld) ring();
  };

  /** true: what happens there is heard from now on. */
  const listen = (dir: string, at: Whereabouts): boolean => {
    // First, since watches of one path are shared, a dead one too.
    drop(dir);
    const ear: Ear = { at, watcher: null, doubtful: false };
    ears.set(dir, ear);
    try {
      const { folder } = at;
      ear.watcher = watch(folder, { persistent: false }, (event, name) =>
        heard(dir, ear, event, name),
      );
    } catch (error) {
      fail(dir, ear, error);
      return false;
    }
    // Without a ring: the look that followed would begin again, fail again, and so on.
    ear.watcher.on('error', (error) => fail(dir, ear, error));
    // It may have come before we listened for it.
    ear.doubtful = at.missing !== null && whereaboutsOf(dir).identity !== at.identity;
    return true;
  };

  const keep = (dir: string, inDoubt: boolean): boolean => {
    const ear = ears.get(dir);
    if (ear !== undefined && !inDoubt && !ear.doubtful) return false;
    // Taken before the watch begins: if the folder is replaced in between, that is heard.
    const at = whereaboutsOf(dir);
    const isSame = ear?.at.identity === at.identity && ear.watcher !== null;
    return isSame && !ear.doubtful ? false : listen(dir, at);
  };

  return {
    deaf,
    watch({ scopes, shapes = [] }) {
      const inDoubt = allDoubtful;
      allDoubtful = false;
      shaped = new Set(shapes);
      const wanted = new Set([...scopes, ...shapes]);
      for (const dir of ears.keys()) if (!wanted.has(dir)) drop(dir);
      let isAnew = false;
      for (const dir of wanted) isAnew = keep(dir, inDoubt) || isAnew;
      return isAnew;
    },
    doubt() {
      allDoubtful = true;
    },
    close() {
      for (const dir of [...ears.keys()]) drop(dir);
    },
  };
}
