/**
 * Moves the deadline of one standing hold, and touches nothing else of it or of others.
 * It never arms: where that hold is gone, it stays gone.
 */
import {
  arm,
  type DiskPort,
  expiryMs,
  type Hold,
  lift,
  type Patience,
  type Scope,
} from '@fleet-estop/sentinel-core';
import { readScope } from '../../fleet/state.ts';

/** Whose hold, or which one. */
export type HoldSelector = { readonly holder: string } | { readonly id: string };

export type Extending =
  | {
      readonly extended: true;
      /** As it was, and as it was read back; its id is new, as after every write of a hold. */
      readonly before: Hold;
      readonly hold: Hold;
      readonly generation: string | null;
    }
  /**
   * `absent`: nothing holds. `expired`: no longer. `not-held`: no such hold does. `anonymous`, `twice`,
   * `unfenced`: it is not one that can be written again without touching more. `ends-later`: it would
   * end earlier than it does, or at all, and that was not asked for. `armed-anew`: it ended
   * meanwhile, and what was placed could not be lifted. Else what `arm` said.
   */
  | { readonly extended: false; readonly why: string };

/** Others write at the same time: look again, and try again. */
const TRIES = 64;

export interface ExtendingOptions {
  readonly mayShorten?: boolean;
  readonly patience?: Partial<Patience>;
}

export function extendHold(
  disk: DiskPort,
  scope: Scope,
  selector: HoldSelector,
  expiresAt: string,
  { mayShorten = false, patience = {} }: ExtendingOptions = {},
): Extending {
  let why = 'conflict';
  for (let tries = 0; tries < TRIES; tries++) {
    const { check } = readScope(disk, scope);
    if (!check.engaged) return notExtended(check.expired ? 'expired' : 'absent');
    if (check.overdue) return notExtended('expired');
    const found = check.holds.filter((hold) =>
      'id' in selector ? hold.id === selector.id : hold.holder === selector.holder,
    );
    const [before] = found;
    if (before === undefined) return notExtended(check.unreadable ?? 'not-held');
    const { holder, actor } = before;
    // A hold is written again by its holder's name, which must name this hold and no other.
    if (holder === null) return notExtended('anonymous');
    if (check.holds.filter((hold) => hold.holder === holder).length > 1)
      return notExtended('twice');
    if (check.generation === null) return notExtended('unfenced');
    if (!mayShorten && endsLater(before, expiresAt)) return notExtended('ends-later');
    const request = {
      holder,
      expiresAt,
      // Whoever placed it still did: a window finds its own hold by this.
      ...(actor === null ? {} : { actor }),
      // Compare and set: what was lifted or changed since that look is not put back.
      expectGeneration: check.generation,
    };
    const result = arm(disk, scope.dir, request, patience);
    if (result.armed && result.replaced !== null) {
      return { extended: true, before, hold: result.hold, generation: result.generation };
    }
    if (result.armed) {
      // It ended between the look and the write, without a new generation: what was armed is no extension.
      return notExtended(
        lift(disk, scope.dir, { id: result.id }).lifted ? 'expired' : 'armed-anew',
      );
    }
    why = result.why;
    if (why !== 'conflict' && why !== 'overtaken') break;
  }
  return notExtended(why);
}

/** One without an end ends last. */
const endsLater = ({ expiresAtMs }: Hold, expiresAt: string): boolean =>
  expiresAtMs === null || expiresAtMs > (expiryMs(expiresAt) ?? Number.POSITIVE_INFINITY);

const notExtended = (why: string): Extending => ({ extended: false, why });
