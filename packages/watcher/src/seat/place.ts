/**
 * Where a process lives, and when it was born: what it takes to say that it is certainly gone.
 * What follows from that for a seat is `owner.ts`.
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
}

export function here(): Place {
  const host = hostname();
  if (process.platform === 'darwin') {
    const boot = orEmpty(() => said('sysctl', '-n', 'kern.bootsessionuuid'));
    return { host, machine: 'darwin', boot, pids: 'darwin' };
  }
  return {
    host,
    machine: orEmpty(() => readFileSync('/etc/machine-id', 'utf8')),
    boot: orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    pids: orEmpty(() => readlinkSync('/proc/self/ns/pid')),
  };
}

/** A process that shares our ids: gone, or alive since `birth`, as far as that can be told. */
export function processAt(pid: number): { readonly birth: string } | 'gone' {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM is somebody else's process, and so it is there.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'gone';
  }
  if (process.platform === 'darwin') {
    return { birth: orEmpty(() => said('ps', '-o', 'lstart=', '-p', String(pid))) };
  }
  const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name in parentheses may hold anything; state is the first field after it, start the 20th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Killed and not yet waited for: nothing of it will run again.
  if (fields[0] === 'Z' || fields[0] === 'X') return 'gone';
  return { birth: fields[19] ?? '' };
}

const said = (command: string, ...words: readonly string[]): string =>
  execFileSync(command, words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, LC_ALL: 'C' },
  });

function orEmpty(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return '';
  }
}
