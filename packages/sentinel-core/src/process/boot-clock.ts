/**
 * Reads the time since the boot and the name of the boot. Only Linux names its boots. Elsewhere
 * there is no such clock, and the wall clock alone decides about deadlines.
 * `model/deadline.ts` decides.
 */
import { statfsSync } from 'node:fs';
import { uptime } from 'node:os';
import { failureOf } from '../files/errno.ts';
import type { Uptime } from '../model/deadline.ts';
import { orEmpty, readBootId, readTimeNamespace } from './place.ts';
import { fingerprint } from './token-owner.ts';

const PROC_UPTIME = '/proc/uptime';
const PROC_FS = 0x9fa0;

/** Every check of a hold with a deadline asks, and a process never changes its boot. */
let boot: string | undefined;

/** Errnos after which a later attempt may succeed. Any other errno is final for this platform. */
const PASSING = ['EMFILE', 'ENFILE', 'ENOMEM'];

/**
 * The time since the boot in milliseconds; null: the platform does not name its boots. Containers
 * share the boot of their host, so they can judge each other's holds.
 */
export function bootUptime(): Uptime | null {
  boot ??= nameOfBoot();
  return boot === '' ? null : { boot: boot ?? '', ms: Math.round(uptime() * 1_000) };
}

/**
 * The name of the boot. undefined: it could not be read now, so do not remember it. '': the uptime
 * is not the kernel's own: some containers (lxcfs) replace it with the container's age under the
 * boot id of the host. A time namespace has its own uptime, too, so its name is part of the result.
 */
function nameOfBoot(): string | undefined {
  let id = '';
  const unread = failureOf(() => {
    id = readBootId();
  });
  if (PASSING.includes(unread)) return undefined;
  const isKernels = orEmpty(() => String(statfsSync(PROC_UPTIME).type)) === String(PROC_FS);
  if (id === '' || !isKernels) return '';
  return fingerprint(id + orEmpty(readTimeNamespace));
}
