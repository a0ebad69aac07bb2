/**
 * The protocol's disk over the model: every method is one system call. What a call answers is left
 * to `replay-disk.ts` (from a log) and `solo.ts` (at once).
 */

import { inodeOf, type Op, type Value } from './posix-world.ts';
import type { DiskPort, Entry, Handle, OpenMode } from './protocol.ts';

const encoder = new TextEncoder();
const encoded = new Map<string, Uint8Array>();

/** The same object for the same text. */
export function bytesOf(text: string): Uint8Array {
  let bytes = encoded.get(text);
  if (bytes === undefined) {
    bytes = encoder.encode(text);
    encoded.set(text, bytes);
  }
  return bytes;
}

export abstract class ModelDisk implements DiskPort {
  /** How far the clock of this process is ahead of the world's, in milliseconds. */
  aheadMs = 0;

  protected abstract call(op: Op, path?: string, argument?: string): Value;
  abstract token(): string;
  abstract close(handle: Handle): void;

  lstat = (path: string) => this.call('lstat', path) as Entry | null;
  readdir = (path: string, prefix = '') => [
    ...(this.call('readdir', path, prefix) as readonly string[]),
  ];
  /** Only these names: what else lies there must not make a difference to whoever asked. */
  staged = (scope: string, prefix: string) => this.readdir(scope === '' ? '.' : scope, prefix);
  rmdir = (path: string) => void this.call('rmdir', path);
  unlink = (path: string) => void this.call('unlink', path);
  link = (from: string, to: string) => void this.call('link', from, to);
  rename = (from: string, to: string) => void this.call('rename', from, to);
  open = (path: string, mode: OpenMode): Handle => this.call('open', path, mode) as string;
  read = (handle: Handle) => bytesOf(this.call('read', String(handle)) as string);
  write = (handle: Handle, text: string) => void this.call('write', String(handle), text);
  truncate = (handle: Handle) => void this.call('truncate', String(handle));
  namesOf = (handle: Handle) => this.call('names', String(handle)) as number;
  now = () => (this.call('now') as number) + this.aheadMs;
  stale = (path: string) => this.call('stale', path) as boolean;
  mkdir(path: string): void {
    this.call('mkdir', path);
  }

  // What writers do that know nothing of the protocol.
  overwrite = (path: string): Handle => this.call('open', path, 'w') as string;
  touch = (path: string) => void this.call('touch', path);
  put = (path: string, text: string) => void this.call('put', path, text);
  tick = () => void this.call('tick');

  // No calls: nothing that another process does makes a difference to these.
  inoOf = (handle: Handle) => inodeOf(String(handle));
  mayRemove = () => true;
  /** There is no boot in the model: deadlines are judged by the wall clock and the margin. */
  uptime = () => null;
  fsync = () => {};
  fsyncDir = () => {};
  pause = () => {};
}
