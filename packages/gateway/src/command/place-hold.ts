/**
 * Places the hold of a `/pause`, and returns the result with the state before it.
 * What it takes over from other holds is `take-over.ts`; the reply is `act.ts`.
 */
import {
  type ArmRequest,
  type ArmResult,
  arm,
  type Scope,
  type ScopeCheck,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { takeOver } from './take-over.ts';
import { type PauseTarget, readChain } from './target.ts';

export interface PlaceResult {
  readonly result: ArmResult;
  /** The whole chain before the hold was placed, nearest first. */
  readonly before: readonly ScopeState[];
  /** true if this holder had no hold before. */
  readonly isNew: boolean;
}

/** Attempts with a fresh read of the chain. A concurrent writer makes another attempt necessary. */
const LOOKS = 3;

/** Waiting for another operation blocks the gateway's event loop, so it is kept short. */
export const PATIENCE = { waitMs: 250 };

/** Fields that `wanted` leaves out are kept from this holder's hold, or else taken over from others. */
export function placeHold(target: PauseTarget, { dir }: Scope, wanted: ArmRequest): PlaceResult {
  const { disk, holder } = target;
  const asked = { ...wanted, holder };
  for (let look = 1; ; look++) {
    const { states: before } = readChain(target);
    const own = before[0]?.check;
    const isNew = !(own?.engaged && own.holds.some((hold) => hold.holder === holder));
    const inherited = isNew && look <= LOOKS ? takeOver(before, disk.now()) : null;
    if (inherited !== null) {
      const result = arm(disk, dir, { ...inherited, ...asked, ...unchanged(own) }, PATIENCE);
      if (result.armed) return { result, before, isNew };
      if (result.why === 'conflict') continue;
    }
    // An emergency stop must not fail because of what it could take over: the deadline may have passed
    // meanwhile, the disk may be full, or others may write all the time. Arm without taking over.
    return { result: arm(disk, dir, asked, PATIENCE), before, isNew };
  }
}

/**
 * Arm only if nobody has written since the read. Otherwise another gateway may have placed this holder's
 * hold with `--close`, and the inherited allowlist would open it. A body without a generation was not
 * written by `/pause`, and cannot be compared.
 */
function unchanged(own: ScopeCheck | undefined): Pick<ArmRequest, 'expectGeneration'> {
  if (!own?.engaged) return { expectGeneration: null };
  return own.generation === null ? {} : { expectGeneration: own.generation };
}
