/**
 * What each system call does to a world, as POSIX has it where the protocol relies on it.
 * Keeping worlds, and calls that fail for want of space, is `posix-model.ts`.
 */
import {
  AFTER_TICK,
  baseOf,
  type Content,
  childrenOf,
  type Draft,
  Errno,
  FIFO,
  FOLDER,
  inodeOf,
  parentOf,
  type Request,
  type Value,
} from './posix-world.ts';

/** Changes the draft and answers, or throws an `Errno` and leaves it as it was. */
export function perform(
  world: Draft,
  [op, path, argument]: Request,
  fresh: string,
  { noLinks }: { readonly noLinks: boolean },
): Value {
  switch (op) {
    case 'now':
      return world.now;
    case 'lstat':
      return lstat(world, path);
    case 'readdir':
      return readdir(world, path).filter((name) => name.startsWith(argument));
    case 'mkdir':
      reach(world, path);
      if (path in world.names) throw Errno.of('EEXIST');
      create(world, path, fresh, FOLDER);
      return null;
    case 'rmdir':
      existing(world, path, 'folder');
      if (readdir(world, path).length > 0) throw Errno.of('ENOTEMPTY');
      remove(world, path);
      return null;
    case 'unlink':
      existing(world, path, 'file');
      remove(world, path);
      return null;
    case 'link':
      link(world, path, argument, noLinks);
      return null;
    case 'rename':
      rename(world, path, argument);
      return null;
    case 'open':
      return open(world, path, argument, fresh);
    case 'read':
      return read(world, inodeOf(path));
    case 'write':
      write(world, inodeOf(path), argument);
      return null;
    case 'truncate':
      world.inodes = { ...world.inodes, [inodeOf(path)]: '' };
      return null;
    case 'names':
      return Object.values(world.names).filter((ino) => ino === inodeOf(path)).length;
    case 'touch':
      if (path in world.names) return false;
      create(world, path, fresh, '');
      return true;
    case 'put':
      create(world, path, fresh, argument);
      return null;
    case 'tick':
      world.now = AFTER_TICK;
      return null;
    case 'stale':
      throw new Error('only the scheduler can answer this');
  }
}

/** Fails as a kernel does that cannot walk to the folder of `path`. */
function reach(world: Draft, path: string): void {
  const folder = parentOf(path);
  if (folder === '.') return;
  reach(world, folder);
  const ino = world.names[folder];
  if (ino === undefined) throw Errno.of('ENOENT');
  if (world.inodes[ino] !== FOLDER) throw Errno.of('ENOTDIR');
}

function existing(world: Draft, path: string, wanted?: 'folder' | 'file'): string {
  reach(world, path);
  const ino = world.names[path];
  if (ino === undefined) throw Errno.of('ENOENT');
  const isFolder = world.inodes[ino] === FOLDER;
  if (wanted === 'folder' && !isFolder) throw Errno.of('ENOTDIR');
  if (wanted === 'file' && isFolder) throw Errno.of('EISDIR');
  return ino;
}

function create(world: Draft, path: string, ino: string, content: Content): void {
  world.names = { ...world.names, [path]: ino };
  world.inodes = { ...world.inodes, [ino]: content };
}

function remove(world: Draft, path: string): void {
  const { [path]: _, ...names } = world.names;
  world.names = names;
}

function lstat(world: Draft, path: string): Value {
  if (path === '.') return { kind: 'dir', ino: '.' };
  try {
    const ino = existing(world, path);
    const content = world.inodes[ino];
    return { kind: content === FOLDER ? 'dir' : content === FIFO ? 'other' : 'file', ino };
  } catch (error) {
    if (error instanceof Errno && error.code === 'ENOENT') return null;
    throw error;
  }
}

function readdir(world: Draft, path: string): string[] {
  if (path !== '.') existing(world, path, 'folder');
  return childrenOf(world, path).map(baseOf).sort();
}

function link(world: Draft, from: string, to: string, noLinks: boolean): void {
  const ino = existing(world, from);
  reach(world, to);
  if (to in world.names) throw Errno.of('EEXIST');
  if (noLinks || world.inodes[ino] === FOLDER) throw Errno.of('EPERM');
  world.names = { ...world.names, [to]: ino };
}

function rename(world: Draft, from: string, to: string): void {
  reach(world, from);
  reach(world, to);
  const ino = existing(world, from);
  const target = world.names[to];
  if (world.inodes[ino] === FOLDER) {
    if (target !== undefined && world.inodes[target] !== FOLDER) throw Errno.of('ENOTDIR');
    if (target !== undefined && readdir(world, to).length > 0) throw Errno.of('ENOTEMPTY');
    moveFolder(world, from, to);
    return;
  }
  if (target !== undefined && world.inodes[target] === FOLDER) throw Errno.of('EISDIR');
  // Two names of one file: POSIX does nothing, and calls it success.
  if (target === ino) return;
  remove(world, from);
  world.names = { ...world.names, [to]: ino };
}

function moveFolder(world: Draft, from: string, to: string): void {
  const moved = Object.entries(world.names)
    .filter(([path]) => path !== to)
    .map(([path, ino]): [string, string] => {
      const moves = path === from || path.startsWith(`${from}/`);
      return [moves ? to + path.slice(from.length) : path, ino];
    });
  world.names = Object.fromEntries(moved);
}

/** The mode `w` is a shell's `> file`: creates, or truncates what stands there. */
function open(world: Draft, path: string, mode: string, fresh: string): string {
  reach(world, path);
  let ino = world.names[path];
  if (ino === undefined) {
    if (mode !== 'w' && mode !== 'wx') throw Errno.of('ENOENT');
    ino = fresh;
    create(world, path, ino, '');
  } else {
    if (mode === 'wx') throw Errno.of('EEXIST');
    if (mode !== 'r' && world.inodes[ino] === FOLDER) throw Errno.of('EISDIR');
    if (mode !== 'r' && world.inodes[ino] === FIFO) throw Errno.of('ENXIO');
    if (mode === 'w') world.inodes = { ...world.inodes, [ino]: '' };
  }
  const handle = `${fresh}@${ino}`;
  world.handles = { ...world.handles, [handle]: ino };
  return handle;
}

function read(world: Draft, ino: string): string {
  const content = world.inodes[ino];
  if (content === FOLDER) throw Errno.of('EISDIR');
  if (content === FIFO || content === undefined) throw Errno.of('EINVAL');
  return content;
}

/** From the start of the file, over what stands there, as the first write of a handle does. */
function write(world: Draft, ino: string, text: string): void {
  const rest = read(world, ino).slice(text.length);
  world.inodes = { ...world.inodes, [ino]: text + rest };
}
