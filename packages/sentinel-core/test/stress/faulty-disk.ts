/**
 * A real disk whose process dies, or drops everything, before a chosen system call, and dawdles on
 * the way there.
 * Which call that is, its user chooses: `worker.ts`.
 */
import type { DiskPort, Handle } from '../../src/disk/port.ts';
import type { Dice } from './dice.ts';

export interface Faults {
  /** The call that is never made, counted from 1; Infinity: none. */
  readonly lastCall: number;
  /** Which calls count: a process that only looks makes no changes to die before. */
  readonly counted: 'changes' | 'every-call';
  /** `kill`: SIGKILL. `abandon`: an exception that the protocol does not catch, so it releases nothing. */
  readonly death: 'kill' | 'abandon';
  /** Takes every tenure over at sight, so that owners who are alive and at work are robbed all the time. */
  readonly robsAtSight: boolean;
  /** How often a change is put off for milliseconds, of 1. */
  readonly dozes: number;
  readonly hardLinks: boolean;
  readonly fsync: boolean;
}

export interface FaultyDisk extends DiskPort {
  /** Closes what is open, as the kernel does for the dead. */
  letGo(): void;
}

/** Everything was dropped where it was. No errno, so nothing in the protocol handles it. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

const DAWDLE_MICROS = 60;
/**
 * Long enough for others to do their whole work meanwhile, or to lose their patience and take the
 * tenure over; and on a busy machine, where the processor decides who runs, the only sure way to it.
 */
const DOZE_MS = 8;
const LOOKS_DOZE = 0.004;
const LOOK_DOZE_MS = 2;

export function faultyDisk(disk: DiskPort, dice: Dice, faults: Faults): FaultyDisk {
  const open = new Set<Handle>();
  let calls = 0;

  const count = () => {
    calls += 1;
    if (calls < faults.lastCall) return;
    if (faults.death === 'abandon') throw new Abandoned();
    process.kill(process.pid, 'SIGKILL');
  };
  const look = () => {
    if (faults.counted === 'every-call') count();
    // Between two looks of one check others do their whole work, or its order could not matter.
    if (dice.chance(0.05)) spin(dice.below(DAWDLE_MICROS));
    else if (dice.chance(LOOKS_DOZE)) sleep(1 + dice.below(LOOK_DOZE_MS));
  };
  const change = () => {
    count();
    if (dice.chance(0.3)) spin(dice.below(DAWDLE_MICROS));
    else if (dice.chance(faults.dozes)) sleep(1 + dice.below(DOZE_MS));
  };

  return {
    ...disk,
    lstat(path) {
      look();
      return disk.lstat(path);
    },
    readdir(path) {
      look();
      return disk.readdir(path);
    },
    staged(scope, prefix) {
      look();
      return disk.staged(scope, prefix);
    },
    mkdir(path) {
      change();
      disk.mkdir(path);
    },
    rmdir(path) {
      change();
      disk.rmdir(path);
    },
    unlink(path) {
      change();
      disk.unlink(path);
    },
    link(from, to) {
      change();
      if (faults.hardLinks) disk.link(from, to);
      else refuseLink(disk, from, to);
    },
    rename(from, to) {
      change();
      disk.rename(from, to);
    },
    open(path, mode) {
      if (mode === 'wx') change();
      else look();
      const handle = disk.open(path, mode);
      open.add(handle);
      return handle;
    },
    write(handle, text) {
      change();
      disk.write(handle, text);
    },
    truncate(handle) {
      change();
      disk.truncate(handle);
    },
    fsync(handle) {
      if (faults.fsync) disk.fsync(handle);
    },
    fsyncDir(path) {
      if (faults.fsync) disk.fsyncDir(path);
    },
    close(handle) {
      open.delete(handle);
      disk.close(handle);
    },
    stale: (path, token, attempt) => faults.robsAtSight || disk.stale(path, token, attempt),
    letGo() {
      for (const handle of open) disk.close(handle);
      open.clear();
    },
  };
}

/** In the order in which a kernel finds out: no such source, target taken, links refused. */
function refuseLink(disk: DiskPort, from: string, to: string): never {
  if (disk.lstat(from) === null) throw errno('ENOENT');
  throw errno(disk.lstat(to) === null ? 'EPERM' : 'EEXIST');
}

const errno = (code: string): Error => Object.assign(new Error(code), { code });

function spin(micros: number): void {
  const end = process.hrtime.bigint() + BigInt(micros) * 1_000n;
  while (process.hrtime.bigint() < end);
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
