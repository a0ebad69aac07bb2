/**
 * The time since this boot, and which boot it is. Only Linux says the second; elsewhere there is no
 * such clock, and deadlines are judged by the wall clock alone.
 */
import { readFileSync, readlinkSync, statfsSync } from 'node:fs';
import { uptime } from 'node:os';
import { failureOf } from '../files/errno.ts';
import type { Uptime } from '../model/deadline.ts';
import { fingerprint, orEmpty } from './token-owner.ts';

const PROC_UPTIME = '/proc/uptime';
const PROC_FS = 0x9fa0;

let boot: string | undefined;

/** What is missing now and may be there the next time. Any other errno is this platform's answer. */
const PASSING = ['EMFILE', 'ENFILE', 'ENOMEM'];

/** null: there is no boot to name. Containers share their host's, so they can judge each other's holds. */
export function bootUptime(): Uptime | null {
  boot ??= nameOfBoot();
  return boot === '' ? null : { boot: boot ?? '', ms: Math.round(uptime() * 1_000) };
}

/**
 * undefined where nobody could look, which is no answer to keep. '' where the uptime is not the kernel's own: some containers (lxcfs) put the container's age in its
 * place, under the boot id of the host. A time namespace has an uptime of its own, too.
 */
function nameOfBoot(): string | undefined {
  let id = '';
  const unread = failureOf(() => {
    id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
  });
  if (PASSING.includes(unread)) return undefined;
  const isKernels = orEmpty(() => String(statfsSync(PROC_UPTIME).type)) === String(PROC_FS);
  if (id === '' || !isKernels) return '';
  return fingerprint(id + orEmpty(() => readlinkSync('/proc/self/ns/time')));
}
