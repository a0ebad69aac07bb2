/**
 * Which process made a token, and whether it is certainly gone. Only speed hangs on the answer.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

let host: string | undefined;

/**
 * Names the same boot of the same machine AND the same process-id namespace: only there does a
 * process id mean the same process (containers share a folder, but not the ids).
 */
export function hostId(): string {
  host ??= createHash('sha256')
    .update(
      [
        orEmpty(() => readFileSync('/etc/machine-id', 'utf8')),
        orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
        orEmpty(() => readlinkSync('/proc/self/ns/pid')),
        hostname(),
      ].join('|'),
    )
    .digest('hex')
    .slice(0, 10);
  return host;
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
