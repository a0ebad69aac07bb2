/**
 * Where a process runs: which boot of which machine, and which process id namespace.
 * Identifying the process itself is `process-mark.ts`.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Where a process runs. A field is '' if it is unknown. */
export interface Place {
  readonly host: string;
  readonly machine: string;
  /** Id of one boot of one kernel. */
  readonly boot: string;
  /** Process id namespace: containers have their own, and ids are comparable only within one. */
  readonly pids: string;
  /** Time namespace: times of birth are comparable only within one. */
  readonly clock: string;
}

let known: Place | undefined;

/** The place of this process. It never changes, so it is remembered once it is known completely. */
export function here(): Place {
  if (known !== undefined) return known;
  const place = process.platform === 'darwin' ? onDarwin() : onLinux();
  if (place.boot !== '' && place.pids !== '') known = place;
  return place;
}

function onLinux(): Place {
  const machine = orEmpty(() => readFileSync('/etc/machine-id', 'utf8')).trim();
  return {
    host: hostname(),
    // A fresh disk image says `uninitialized`, and so does every copy of it.
    machine: /^[0-9a-f]{32}$/.test(machine) ? machine : '',
    boot: orEmpty(readBootId).trim(),
    pids: orEmpty(readPidNamespace),
    clock: orEmpty(readTimeNamespace),
  };
}

/** With its line end: tokens and holds on disk carry fingerprints of the whole text. */
export const readBootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
export const readPidNamespace = (): string => readlinkSync('/proc/self/ns/pid');
export const readTimeNamespace = (): string => readlinkSync('/proc/self/ns/time');

function onDarwin(): Place {
  return {
    host: hostname(),
    machine: 'darwin',
    boot: orEmpty(() => commandOutput('sysctl', '-n', 'kern.bootsessionuuid')),
    pids: 'darwin',
    clock: 'darwin',
  };
}

/** true if both run on the same boot of the same kernel, possibly in different containers. */
export const sharesKernel = (one: Place, other: Place): boolean =>
  one.boot !== '' && one.boot === other.boot;

/** true if a process id means the same process in both places. */
export const sharesProcessIds = (one: Place, other: Place): boolean =>
  sharesKernel(one, other) && one.pids !== '' && one.pids === other.pids;

/** true if `now` is a later boot of the machine of `earlier`: all processes of `earlier` are gone. */
export const wasRestarted = (earlier: Place, now: Place): boolean =>
  earlier.boot !== '' &&
  now.boot !== '' &&
  earlier.boot !== now.boot &&
  earlier.machine !== '' &&
  earlier.machine === now.machine &&
  earlier.host === now.host;

/** The trimmed output of a command, independent of the user's locale and time zone. */
export const commandOutput = (command: string, ...words: readonly string[]): string =>
  // Loaded only on macOS: loading this module would slow the start of every command.
  process
    .getBuiltinModule('node:child_process')
    .execFileSync(command, words, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    })
    .trim();

/** The text that `read` returns; '' if it throws. */
export function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
