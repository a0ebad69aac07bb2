/**
 * Places the hold of a `/pause`: what stood before it, and what became of it.
 * What it takes over is `take-over.ts`; what is said of it is `act.ts`.
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
  /** The whole chain before it, nearest first. */
  readonly before: readonly ScopeState[];
  /** No hold of this holder stood before it. */
  readonly isNew: boolean;
}

/** Looks at the chain. Whoever writes in the profile meanwhile makes the next one necessary. */
const LOOKS = 3;

/** Nothing else of this gateway's runs while it waits for its turn, so it does not wait for long. */
export const PATIENCE = { waitMs: 250 };

/** What `wanted` does not mention is kept of this holder's hold, or else taken over from the others. */
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
    // An emergency stop depends on nothing that it could take over: a full disk, a deadline that has
    // passed meanwhile, others who write all the time.
    return { result: arm(disk, dir, asked, PATIENCE), before, isNew };
  }
}

/**
 * Only if nobody has written since the look: this holder's hold may have been placed meanwhile, by
 * another gateway, and closed; what is taken over would open it. A body without a generation was
 * written by no `/pause`, and cannot be compared.
 */
function unchanged(own: ScopeCheck | undefined): Pick<ArmRequest, 'expectGeneration'> {
  if (!own?.engaged) return { expectGeneration: null };
  return own.generation === null ? {} : { expectGeneration: own.generation };
}
