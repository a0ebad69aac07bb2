/**
 * Which process made a token, and whether it is certainly gone. Only speed hangs on the answer.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

let host: string | undefined;

/**
 * Names the same boot of the same machine AND the same process-id namespace: only there does a
 * process id mean the same process (containers share a folder, but not the ids). Where there is no
 * such name (macOS), the host's: a wrong "alive" only costs patience.
 */
export function hostId(): string {
  host ??= nameOfHost();
  return host;
}

function nameOfHost(): string {
  const boot = orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = orEmpty(() => readlinkSync('/proc/self/ns/pid'));
  const name = boot === '' ? hostname() : `${boot.slice(0, 8)}${namespace}`;
  return name.replace(/[^A-Za-z0-9]/g, '').slice(0, 32) || 'host';
}

/** true only for a process of this very host that no longer exists. */
export function processIsGone(token: string): boolean {
  const [madeOn, pid] = token.split('.');
  const id = Number(pid);
  if (madeOn !== hostId() || !Number.isSafeInteger(id) || id <= 0) return false;
  try {
    process.kill(id, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
