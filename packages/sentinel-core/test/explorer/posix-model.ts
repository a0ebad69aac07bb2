/**
 * A folder of a POSIX file system as a value: a system call maps a world to the next one.
 * Who calls what, and in which order, is `explore.ts`.
 *
 * Worlds are interned: equal worlds are one object under one number, so that remembering a world and
 * comparing two of them costs an integer.
 */
import { perform } from './posix-calls.ts';
import {
  BEFORE_TICK,
  type Draft,
  Errno,
  inodeOf,
  type Request,
  type Result,
  TORN,
  type World,
} from './posix-world.ts';

export interface Reply {
  readonly world: World;
  readonly result: Result;
}

export class PosixModel {
  private readonly byKey = new Map<string, World>();
  private readonly worlds: World[] = [];
  private readonly options: { readonly noLinks: boolean };

  /** `noLinks`: a file system that refuses hard links. */
  constructor({ noLinks = false }: { noLinks?: boolean } = {}) {
    this.options = { noLinks };
  }

  initial(names: World['names'], inodes: World['inodes']): World {
    return this.intern({ names, inodes, handles: {}, now: BEFORE_TICK });
  }

  byId(id: number): World {
    return this.worlds[id]!;
  }

  /** `fresh` names the inode and the handle that the call may create; it is never used twice. */
  call(world: World, request: Request, fresh: string): Reply {
    const { names, inodes, handles, now } = world;
    const draft: Draft = { names, inodes, handles, now };
    try {
      const value = perform(draft, request, fresh, this.options);
      const same = draft.names === names && draft.inodes === inodes && draft.handles === handles;
      if (same && draft.now === now) return { world, result: { value } };
      return { world: this.intern(draft), result: { value } };
    } catch (error) {
      if (!(error instanceof Errno)) throw error;
      return { world, result: { code: error.code } };
    }
  }

  /** A write that ran out of space half way. */
  tear(world: World, handle: string): World {
    return this.intern({ ...world, inodes: { ...world.inodes, [inodeOf(handle)]: TORN } });
  }

  close(world: World, closes: (handle: string) => boolean): World {
    const handles = Object.keys(world.handles);
    if (!handles.some(closes)) return world;
    const open = handles.filter((handle) => !closes(handle));
    const kept = open.map((handle) => [handle, world.handles[handle]!] as const);
    return this.intern({ ...world, handles: Object.fromEntries(kept) });
  }

  private intern({ names, inodes, handles, now }: Draft): World {
    const alive = new Set([...Object.values(names), ...Object.values(handles)]);
    const kept = Object.keys(inodes)
      .filter((ino) => alive.has(ino))
      .sort();
    const namesKey = Object.keys(names)
      .sort()
      .map((path) => `${path}=${names[path]}`);
    const inodesKey = kept.map((ino) => `${ino}:${inodes[ino]}`);
    const handlesKey = Object.keys(handles).sort();
    const key = [now, namesKey, inodesKey, handlesKey].join('\n');

    let world = this.byKey.get(key);
    if (world === undefined) {
      const contents = Object.fromEntries(kept.map((ino) => [ino, inodes[ino]!]));
      world = { id: this.worlds.length, names, inodes: contents, handles, now };
      this.byKey.set(key, world);
      this.worlds.push(world);
    }
    return world;
  }
}
