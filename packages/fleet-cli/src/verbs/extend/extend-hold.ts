/**
 * Moves the deadline of one existing hold, and changes nothing else of it or of other holds.
 * It never places a hold: a hold that is gone stays gone.
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
      /** The hold before, and as read back. The id is new, as after every write of a hold. */
      readonly before: Hold;
      readonly hold: Hold;
      readonly generation: string | null;
    }
  /**
   * `absent`: nothing holds. `expired`: the hold has ended. `not-held`: there is no such hold.
   * `anonymous`, `twice`, `unfenced`: it cannot be written again without changing more. `ends-later`: the
   * new end would be earlier, or the hold has none, and --shorten was not given. `armed-anew`: it ended
   * meanwhile, and the hold that was placed instead could not be lifted. Otherwise the `why` of `arm`.
   */
  | { readonly extended: false; readonly why: string };

/** How often to read and try again when others write at the same time. */
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
    // The hold is written again by its holder's name, so the name must identify it.
    if (holder === null) return notExtended('anonymous');
    if (check.holds.filter((hold) => hold.holder === holder).length > 1)
      return notExtended('twice');
    if (check.generation === null) return notExtended('unfenced');
    if (!mayShorten && endsLater(before, expiresAt)) return notExtended('ends-later');
    const request = {
      holder,
      expiresAt,
      // The actor stays the one who placed it: a window finds its own hold by its actor.
      ...(actor === null ? {} : { actor }),
      // Compare and set: a hold that was lifted or changed since that read is not written back.
      expectGeneration: check.generation,
    };
    const result = arm(disk, scope.dir, request, patience);
    if (result.armed && result.replaced !== null) {
      return { extended: true, before, hold: result.hold, generation: result.generation };
    }
    if (result.armed) {
      // It ended between the read and the write without a new generation, so a new hold was placed. Lift
      // that one.
      return notExtended(
        lift(disk, scope.dir, { id: result.id }).lifted ? 'expired' : 'armed-anew',
      );
    }
    why = result.why;
    if (why !== 'conflict' && why !== 'overtaken') break;
  }
  return notExtended(why);
}

/** A hold without a deadline ends last. */
const endsLater = ({ expiresAtMs }: Hold, expiresAt: string): boolean =>
  expiresAtMs === null || expiresAtMs > (expiryMs(expiresAt) ?? Number.POSITIVE_INFINITY);

const notExtended = (why: string): Extending => ({ extended: false, why });
