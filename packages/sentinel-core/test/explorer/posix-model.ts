/**
 * A folder of a POSIX file system as a value: a system call maps a world to the next one.
 * Who calls what, and in which order, is `explore.ts`.
 *
 * Worlds are interned: equal worlds are one object under one number, so that remembering a world and
 * comparing two of them costs an integer. So are the records that they consist of, since most calls
 * change one of them.
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
import { Records } from './records.ts';

export interface Reply {
  readonly world: World;
  readonly result: Result;
}

export class PosixModel {
  /** By names, then by the rest: one map of them all would outgrow what a `Map` holds (16.7 million). */
  private readonly byNames: Map<string, World>[] = [];
  private readonly worlds: World[] = [];
  private readonly names = new Records();
  private readonly inodes = new Records();
  private readonly handles = new Records();
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
    const result = this.change(draft, request, fresh);
    const same = draft.names === names && draft.inodes === inodes && draft.handles === handles;
    return { world: same && draft.now === now ? world : this.intern(draft), result };
  }

  /** The same in a world that is not kept: the draft becomes the next one. */
  change(draft: Draft, request: Request, fresh: string): Result {
    try {
      return { value: perform(draft, request, fresh, this.options) };
    } catch (error) {
      if (!(error instanceof Errno)) throw error;
      return { code: error.code };
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

  private intern(draft: Draft): World {
    const names = this.names.of(draft.names);
    const handles = this.handles.of(draft.handles);
    const inodes = this.inodes.of(reached(draft));
    const { now } = draft;
    this.byNames[names.id] ??= new Map();
    const known = this.byNames[names.id]!;
    const key = `${now} ${inodes.id} ${handles.id}`;
    let world = known.get(key);
    if (world === undefined) {
      const id = this.worlds.length;
      world = { id, names: names.record, inodes: inodes.record, handles: handles.record, now };
      known.set(key, world);
      this.worlds.push(world);
    }
    return world;
  }
}

/** The inodes that have a name or a handle; the same record where all of them have. */
function reached({ inodes, names, handles }: Draft): World['inodes'] {
  const alive = new Set([...Object.values(names), ...Object.values(handles)]);
  const all = Object.keys(inodes);
  const left = all.filter((ino) => alive.has(ino));
  if (left.length === all.length) return inodes;
  return Object.fromEntries(left.map((ino) => [ino, inodes[ino]!] as const));
}
