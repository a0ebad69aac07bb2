/**
 * The time since this boot, and which boot it is. Only Linux says the second; elsewhere there is no
 * such clock, and deadlines are judged by the wall clock alone.
 */
import { readFileSync, readlinkSync, statfsSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Uptime } from '../model/deadline.ts';
import { fingerprint, orEmpty } from './liveness.ts';

const PROC_UPTIME = '/proc/uptime';
const PROC_FS = 0x9fa0;

let boot: string | undefined;

/** null: there is no boot to name. Containers share their host's, so they can judge each other's holds. */
export function bootUptime(): Uptime | null {
  boot ??= nameOfBoot();
  return boot === '' ? null : { boot, ms: Math.round(uptime() * 1_000) };
}

/**
 * '' where the uptime is not the kernel's own: some containers (lxcfs) put the container's age in its
 * place, under the boot id of the host. A time namespace has an uptime of its own, too.
 */
function nameOfBoot(): string {
  const id = orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const isKernels = orEmpty(() => String(statfsSync(PROC_UPTIME).type)) === String(PROC_FS);
  if (id === '' || !isKernels) return '';
  return fingerprint(id + orEmpty(() => readlinkSync('/proc/self/ns/time')));
}
