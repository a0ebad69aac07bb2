/**
 * Real disks with something wrong about them: full from some step on, failing once, without hard
 * links, or seen by a clock that jumps.
 * Really full and really read-only file systems are `mounts.ts`.
 */
import type { DiskPort, OpenMode } from '../../src/disk/port.ts';

/** A port that fails, and what came of it. */
export interface Failing {
  readonly disk: DiskPort;
  /** Whether the failing step was reached at all. */
  readonly failed: () => boolean;
}

const ENOSPC = 'ENOSPC';

/**
 * From the `nth` changing call on, whatever needs space fails with ENOSPC; what frees it works. The
 * write that meets the end of the disk has written half.
 */
export function fullFrom(disk: DiskPort, nth: number): Failing {
  let calls = 0;
  let failed = false;
  const full = (needsSpace: boolean) => {
    calls += 1;
    if (!needsSpace || calls < nth) return false;
    failed = true;
    return true;
  };
  const guard = (needsSpace: boolean) => {
    if (full(needsSpace)) throw errno(ENOSPC);
  };
  return {
    failed: () => failed,
    disk: {
      ...disk,
      ...guarded(disk, (name) => guard(name === 'mkdir' || name === 'link' || name === 'open')),
      write(handle, text) {
        if (!full(true)) return disk.write(handle, text);
        disk.write(handle, text.slice(0, text.length / 2));
        throw errno(ENOSPC);
      },
      fsync: (handle) => disk.fsync(handle),
    },
  };
}

/** The `nth` changing call, and only that one, fails. */
export function failingOnce(disk: DiskPort, nth: number, code: string): Failing {
  let calls = 0;
  return {
    failed: () => calls >= nth,
    disk: {
      ...disk,
      ...guarded(disk, () => {
        calls += 1;
        if (calls === nth) throw errno(code);
      }),
    },
  };
}

/** From the `nth` call of any kind on, reading included, everything fails: the disk is gone. */
export function goneFrom(disk: DiskPort, nth: number, code: string): Failing {
  return unreliable(disk, code, (call) => call >= nth);
}

/** The `nth` call of any kind, reading included, and only that one, fails. */
export function anyFailingOnce(disk: DiskPort, nth: number, code: string): Failing {
  return unreliable(disk, code, (call) => call === nth);
}

/** Calls that never reach a disk, or that the port promises never to fail. */
const SAFE = ['now', 'uptime', 'token', 'stale', 'pause', 'mayRemove', 'fsyncDir'];

function unreliable(disk: DiskPort, code: string, fails: (call: number) => boolean): Failing {
  let calls = 0;
  let failed = false;
  const port = new Proxy(disk, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function' || SAFE.includes(String(name))) return method;
      return (...args: readonly unknown[]) => {
        calls += 1;
        if (!fails(calls)) return Reflect.apply(method, target, args);
        failed = true;
        // As the kernel does: a descriptor is gone also when closing it fails.
        if (name === 'close') Reflect.apply(method, target, args);
        throw errno(code);
      };
    },
  });
  return { disk: port, failed: () => failed };
}

/**
 * A file system without hard links, or one that refuses them. As Linux does, it says EEXIST first
 * where the name is taken.
 */
export function withoutLinks(disk: DiskPort, code = 'EPERM'): DiskPort {
  return {
    ...disk,
    link(_from, to) {
      throw errno(disk.lstat(to) === null ? code : 'EEXIST');
    },
  };
}

/** The same disk, used by a process that is not there any more when anybody asks. */
export function ofDeadProcess(disk: DiskPort): DiskPort {
  // The highest id that Linux gives out is 4194304, so none is ever asked for beyond it.
  return { ...disk, token: () => disk.token().replace(/\.\d+\./, '.4194305.') };
}

export const errno = (code: string): Error => Object.assign(new Error(code), { code });

/** Every changing call, asked for leave by `before`. */
function guarded(disk: DiskPort, before: (name: string) => void): Partial<DiskPort> {
  return {
    mkdir(path) {
      before('mkdir');
      disk.mkdir(path);
    },
    rmdir(path) {
      before('rmdir');
      disk.rmdir(path);
    },
    unlink(path) {
      before('unlink');
      disk.unlink(path);
    },
    link(from, to) {
      before('link');
      disk.link(from, to);
    },
    rename(from, to) {
      before('rename');
      disk.rename(from, to);
    },
    open(path: string, mode: OpenMode) {
      if (mode === 'wx') before('open');
      return disk.open(path, mode);
    },
    write(handle, text) {
      before('write');
      disk.write(handle, text);
    },
    truncate(handle) {
      before('truncate');
      disk.truncate(handle);
    },
    fsync(handle) {
      before('fsync');
      disk.fsync(handle);
    },
  };
}
