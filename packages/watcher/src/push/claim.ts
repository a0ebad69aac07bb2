/**
 * Decides whether a connection belongs to a gateway that is already known.
 * Why there is a secret, and whom it keeps out:
 * docs/decisions/2026-11-30-whom-an-acknowledgement-is-believed.md.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Hello } from '@fleet-estop/protocol';

/** The identity that a gateway sent in its first hello. */
export type Claim = Pick<Hello, 'instance' | 'pid' | 'secret'>;

/**
 * True if the claim knows the secret that came with this `instance`. Two claims without a secret
 * prove nothing.
 */
export function isProven(known: Claim, claim: Claim): boolean {
  if (known.instance !== claim.instance) return false;
  if (known.secret === undefined || claim.secret === undefined) return false;
  return timingSafeEqual(digest(known.secret), digest(claim.secret));
}

/**
 * Whether this is the gateway that went away. Without a secret it is recognized by its process,
 * since nothing else is known of it; a gone gateway has nothing left that could be stolen.
 */
export function isBack(gone: Claim, claim: Claim): boolean {
  if (gone.secret !== undefined || claim.secret !== undefined) return isProven(gone, claim);
  return gone.instance === claim.instance && gone.pid === claim.pid;
}

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();
