/**
 * Is a connection the same gateway as one that is known? Why a secret, and whom it keeps out:
 * docs/decisions/2026-11-30-whom-an-acknowledgement-is-believed.md.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Hello } from '@fleet-estop/wire';

/** What a gateway said of itself at its first hello. */
export type Claim = Pick<Hello, 'instance' | 'pid' | 'secret'>;

/** Proven: it knows the secret that came with this `instance`. Two without a secret prove nothing. */
export function isProven(known: Claim, claim: Claim): boolean {
  if (known.instance !== claim.instance) return false;
  if (known.secret === undefined || claim.secret === undefined) return false;
  return timingSafeEqual(digest(known.secret), digest(claim.secret));
}

/**
 * Is this the one that went away? A gateway without a secret is recognized by its process, as nothing
 * else of it is known; it stood for nothing any more that could be taken from it.
 */
export function isBack(gone: Claim, claim: Claim): boolean {
  if (gone.secret !== undefined || claim.secret !== undefined) return isProven(gone, claim);
  return gone.instance === claim.instance && gone.pid === claim.pid;
}

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();
