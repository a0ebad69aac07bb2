/**
 * A disk for dry runs: it reads the real files, and changes only a copy in memory. The real protocol runs on it
 * to the end, so the copy then has the state that a real run would leave.
 * It cannot foresee a full disk, or what other processes do meanwhile.
 *
 * It prevents that a plan promises what the real run would not do: a plan of its own would be a second
 * implementation of the protocol (what a hold merges with, awkward files, missing rights).
 */

import { accessSync, constants, realpathSync } from 'node:fs';
import { type DiskPort, type Handle, SENTINEL, TENURE } from '@fleet-estop/sentinel-core';
import {
  copyFrom,
  entryOf,
  errno,
  errnoOrThrow,
  type File,
  type Folder,
  type Node,
  newFolder,
} from './tree.ts';

/** Paths of the sentinel, and of everything that the protocol creates beside it. */
const OURS = /^(.*)\/(ESTOP|\.ESTOP\.[^/]*(?:\/.*)?)$/s;
/** What is copied from a scope, and how many folders deep: a tenure contains a folder of claims. */
const COPIED = [
  [SENTINEL, 0],
  [TENURE, 2],
] as const;
const MADE = 'dry-run-';

/** The copy of one scope's folder. */
interface Scope {
  readonly dir: string;
  readonly top: Folder;
}

export function dryRunDisk(real: DiskPort): DiskPort {
  const scopes = new Map<string, Scope>();
  const open = new Map<string, File>();
  let made = 0;
  const fresh = () => `${MADE}${++made}`;

  const scopeAt = (dir: string): Scope => {
    const identity = identityOf(dir);
    const known = scopes.get(identity);
    if (known !== undefined) return known;
    const scope: Scope = { dir, top: newFolder(dir) };
    for (const [name, depth] of COPIED) {
      const node = copyFrom(real, `${dir}/${name}`, depth);
      if (node !== null) scope.top.entries.set(name, node);
    }
    scopes.set(identity, scope);
    return scope;
  };

  /** The folder that contains a path's last name, and that name. */
  const locate = (path: string): { scope: Scope; folder: Folder; name: string } => {
    const [, dir = '', inner] = OURS.exec(path) ?? [];
    if (inner === undefined) throw errno('ENOTSUP');
    const scope = scopeAt(dir);
    const steps = inner.split('/');
    const name = steps.pop() ?? '';
    let folder = scope.top;
    for (const step of steps) {
      const next = folder.entries.get(step);
      if (next === undefined) throw errno('ENOENT');
      if (next.kind !== 'dir') throw errno('ENOTDIR');
      folder = next;
    }
    return { scope, folder, name };
  };

  const nodeAt = (path: string): Node => {
    const { folder, name } = locate(path);
    const node = folder.entries.get(name);
    if (node === undefined) throw errno('ENOENT');
    return node;
  };

  /** Throws if the real folder does not permit creating, moving or removing a name. */
  const changeable = (path: string): ReturnType<typeof locate> => {
    const found = locate(path);
    if (found.folder === found.scope.top) {
      accessSync(found.scope.dir, constants.W_OK | constants.X_OK);
    }
    return found;
  };

  const put = (path: string, node: Node): void => {
    const { folder, name } = changeable(path);
    if (folder.entries.has(name)) throw errno('EEXIST');
    folder.entries.set(name, node);
  };

  const fileOf = (handle: Handle): File => {
    const file = open.get(String(handle));
    if (file === undefined) throw errno('EBADF');
    return file;
  };

  const isOurs = (path: string): boolean => OURS.test(path);

  return {
    lstat(path) {
      if (!isOurs(path)) return real.lstat(path);
      try {
        return entryOf(nodeAt(path));
      } catch (error) {
        if (errnoOrThrow(error) === 'ENOENT') return null;
        throw error;
      }
    },
    readdir(path) {
      if (!isOurs(path)) return real.readdir(path);
      const node = nodeAt(path);
      if (node.kind !== 'dir') throw errno('ENOTDIR');
      return [...node.entries.keys()];
    },
    staged: (scope, prefix) => real.staged(scope, prefix),
    mkdir: (path) => put(path, newFolder(fresh())),
    rmdir(path) {
      const node = nodeAt(path);
      if (node.kind !== 'dir') throw errno('ENOTDIR');
      if (node.entries.size > 0) throw errno('ENOTEMPTY');
      const { folder, name } = changeable(path);
      folder.entries.delete(name);
    },
    unlink(path) {
      const node = nodeAt(path);
      if (node.kind === 'dir') throw errno('EISDIR');
      const { folder, name } = changeable(path);
      folder.entries.delete(name);
      node.names--;
    },
    link(from, to) {
      const node = nodeAt(from);
      if (node.kind === 'dir') throw errno('EPERM');
      put(to, node);
      node.names++;
    },
    rename(from, to) {
      const node = nodeAt(from);
      const [source, target] = [changeable(from), changeable(to)];
      const displaced = target.folder.entries.get(target.name);
      if (displaced === node) return;
      if (displaced !== undefined) displace(node, displaced);
      source.folder.entries.delete(source.name);
      target.folder.entries.set(target.name, node);
    },
    open(path, mode) {
      let file: Node;
      if (mode === 'wx') {
        file = { kind: 'file', ino: fresh(), content: new Uint8Array(), names: 1 };
        put(path, file);
      } else {
        file = nodeAt(path);
        if (file.kind === 'dir') {
          if (mode === 'r+') throw errno('EISDIR');
          // A folder can be opened but not read.
          file = { kind: 'other', ino: file.ino, content: 'EINVAL', names: 1 };
        } else if (file.unopened !== undefined) {
          throw errno(file.unopened);
        } else if (mode === 'r+' && !file.ino.startsWith(MADE)) {
          accessSync(path, constants.R_OK | constants.W_OK);
        }
      }
      const handle = fresh();
      open.set(handle, file);
      return handle;
    },
    inoOf: (handle) => fileOf(handle).ino,
    namesOf: (handle) => fileOf(handle).names,
    read(handle) {
      const { content } = fileOf(handle);
      if (typeof content === 'string') throw errno(content);
      return content;
    },
    write(handle, text) {
      const file = fileOf(handle);
      const before = typeof file.content === 'string' ? new Uint8Array() : file.content;
      file.content = Buffer.concat([before, Buffer.from(text)]);
    },
    truncate(handle) {
      fileOf(handle).content = new Uint8Array();
    },
    fsync() {},
    fsyncDir() {},
    close: (handle) => void open.delete(String(handle)),
    mayRemove: (path) => real.mayRemove(path),
    now: () => real.now(),
    uptime: () => real.uptime(),
    token: () => real.token(),
    stale: (path, token, attempt) => real.stale(path, token, attempt),
    // Waiting is useless: no other process changes the copy.
    pause() {},
  };
}

/** Several profiles may share one folder by links. */
function identityOf(dir: string): string {
  try {
    return realpathSync.native(dir);
  } catch {
    return dir;
  }
}

/** Throws the kernel's error for a rename onto an existing file or folder, if it is not allowed. */
function displace(node: Node, displaced: Node): void {
  if (displaced.kind !== 'dir') {
    if (node.kind === 'dir') throw errno('ENOTDIR');
    displaced.names--;
  } else if (node.kind !== 'dir') throw errno('EISDIR');
  else if (displaced.entries.size > 0) throw errno('ENOTEMPTY');
}
