/**
 * Tells which process made a token, and whether it is certainly gone. Only speed depends on the
 * answer, never safety.
 * `disk/node-disk.ts` makes the tokens.
 */
import { hostname } from 'node:os';
import { orEmpty, readBootId, readPidNamespace } from './place.ts';
import { isFree } from './process-mark.ts';

/** Every tenure asks, and a process never changes its host. */
let host: string | undefined;

/**
 * A name for one boot of one machine AND one process-id namespace. Only there does a process id
 * mean the same process (containers share a folder, but not the ids). Where there is no such name
 * (macOS), the host's name is used: a wrong "alive" only costs time.
 */
export function hostId(): string {
  host ??= nameOfHost();
  return host;
}

function nameOfHost(): string {
  const boot = orEmpty(readBootId);
  return fingerprint(boot === '' ? hostname() : boot + orEmpty(readPidNamespace));
}

/** FNV-1a of 64 bits in 8 characters. It keeps names short and is only compared for equality. */
export function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(36).padStart(8, '0').slice(-8);
}

/** true only for a process of this host that no longer exists. */
export function processIsGone(token: string): boolean {
  const [madeOn, pid] = token.split('.');
  const id = Number(pid);
  if (madeOn !== hostId() || !Number.isSafeInteger(id) || id <= 0) return false;
  return isFree(id);
}
