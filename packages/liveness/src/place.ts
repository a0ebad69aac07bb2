/**
 * Where processes live: on which run of which machine, and among which process ids.
 * What a process is, there, is `process-mark.ts`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** An empty text: could not be told. */
export interface Place {
  readonly host: string;
  readonly machine: string;
  /** One run of one kernel. */
  readonly boot: string;
  /** Only within it does a process id mean the same process: containers have their own. */
  readonly pids: string;
  /** Only within it are times of birth the same: a time namespace shifts them. */
  readonly clock: string;
}

let known: Place | undefined;

/** Of this process. It stays where it is, so that only what could not be told is asked again. */
export function here(): Place {
  if (known !== undefined) return known;
  const place = process.platform === 'darwin' ? onDarwin() : onLinux();
  if (place.boot !== '' && place.pids !== '') known = place;
  return place;
}

function onLinux(): Place {
  const machine = orEmpty(() => readFileSync('/etc/machine-id', 'utf8'));
  return {
    host: hostname(),
    // An image that was never started says `uninitialized`, as does every copy of it.
    machine: /^[0-9a-f]{32}$/.test(machine) ? machine : '',
    boot: orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    pids: orEmpty(() => readlinkSync('/proc/self/ns/pid')),
    clock: orEmpty(() => readlinkSync('/proc/self/ns/time')),
  };
}

function onDarwin(): Place {
  return {
    host: hostname(),
    machine: 'darwin',
    boot: orEmpty(() => commandOutput('sysctl', '-n', 'kern.bootsessionuuid')),
    pids: 'darwin',
    clock: 'darwin',
  };
}

/** The same run of the same kernel, be it in other containers. */
export const sharesKernel = (one: Place, other: Place): boolean =>
  one.boot !== '' && one.boot === other.boot;

/** There, a process id means the same process as here. */
export const sharesProcessIds = (one: Place, other: Place): boolean =>
  sharesKernel(one, other) && one.pids !== '' && one.pids === other.pids;

/** Whatever ran at `earlier` ended when its machine was started again, as which it now is `now`. */
export const wasRestarted = (earlier: Place, now: Place): boolean =>
  earlier.boot !== '' &&
  now.boot !== '' &&
  earlier.boot !== now.boot &&
  earlier.machine !== '' &&
  earlier.machine === now.machine &&
  earlier.host === now.host;

/** What a command says, in words and times that do not depend on whoever asks. */
export const commandOutput = (command: string, ...words: readonly string[]): string =>
  execFileSync(command, words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });

export function orEmpty(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return '';
  }
}
