/**
 * Requests and results of the operations on one scope. Foreseen results are values; nothing here is
 * thrown.
 * The operations are `arm.ts`, `lift.ts`, `retire.ts` and, for every tenure, `tenure.ts`.
 */
import type { Actor, Allow, Hold } from '../model/hold.ts';

/**
 * Why an operation failed or was degraded: one of the words listed at each `why`, or the errno code
 * of the call that failed.
 */
export type Why = string;

/** What to arm. An absent field keeps the value of this holder's hold, where there is one. */
export interface ArmRequest {
  /** Whose hold it is. Default: `operator` (`DEFAULT_HOLDER`). */
  readonly holder?: string;
  /**
   * undefined: keep the reason of this holder's hold. null: no reason. More than `MAX_REASON` code
   * units are cut.
   */
  readonly reason?: string | null;
  /**
   * ISO 8601 with offset. undefined: keep the deadline of this holder's hold, but never one that
   * has passed. null: no deadline.
   */
  readonly expiresAt?: string | null;
  /** undefined: keep the allowlist of this holder's hold. null: nobody passes. */
  readonly allow?: Allow | null;
  readonly actor?: Actor;
  /**
   * Compare and set: arm only if this is the generation on disk. null: only if nothing holds. Of
   * several with one generation exactly one wins [6].
   */
  readonly expectGeneration?: string | null;
}

/** What `arm` answers. `holds`: every hold in force in the scope afterwards. */
export type ArmResult =
  | {
      readonly armed: true;
      /** The id of the hold that was read back from disk. */
      readonly id: string;
      readonly generation: string | null;
      readonly hold: Hold;
      /** Every hold in force in the scope afterwards, the new one included. */
      readonly holds: readonly Hold[];
      /**
       * `direct`: the body was written without a tenure. `empty`, `folder`: only an empty file, or
       * only a folder, could be created. It holds, never expires and admits nobody.
       */
      readonly degraded?: 'direct' | 'empty' | 'folder';
      readonly why?: Why;
      /** The hold of the same holder that was replaced; null: none. */
      readonly replaced: Hold | null;
      /** The reason was longer than `MAX_REASON` and was cut. */
      readonly shortened?: true;
    }
  | {
      readonly armed: false;
      /** `conflict`, `overtaken`, `busy`, `unseen`, `too-many-holders`, `too-large`, or an errno code. */
      readonly why: Why;
      /** Whether other holds hold the scope nevertheless. */
      readonly engaged: boolean;
      readonly holds: readonly Hold[];
      readonly generation: string | null;
    };

/**
 * Which holds to lift: those of one holder, one by id, or all holds of the scope. `anonymous` adds
 * the holds without a holder; for the holder `operator` they are always included (decision:
 * `2026-11-30-the-default-holder-is-the-person.md`).
 */
export type LiftSelection =
  | { readonly holder: string; readonly anonymous?: true }
  | { readonly id: string }
  | { readonly everyone: true };

/** What `lift` answers. `holds`: the lifted holds. */
export type LiftResult =
  | {
      readonly lifted: true;
      readonly holds: readonly Hold[];
      /** The holds that are still in force in this scope. */
      readonly remaining: readonly Hold[];
      /** The operation that took over our tenure completed the lift. */
      readonly assisted?: true;
      /**
       * New names of non-empty folders that were found in the place of the sentinel. They lie
       * beside it with their content.
       */
      readonly setAside?: readonly string[];
    }
  | {
      readonly lifted: false;
      /** `absent`, `expired`, `not-held`, `superseded`, `busy`, or an errno code. */
      readonly why: Why;
      readonly remaining: readonly Hold[];
    };

/** What `retire` answers. `holds`: the expired holds that were removed. */
export type RetireResult =
  | { readonly retired: true; readonly holds: readonly Hold[] }
  | {
      readonly retired: false;
      /** `absent`, `active`, `uncertain`, `superseded`, `busy`, or an errno code. */
      readonly why: Why;
    };

/** How long an operation waits for its turn. The defaults are `PATIENCE`. */
export interface Patience {
  /** Minimum number of attempts to acquire the tenure. Default: 3. */
  readonly tries: number;
  /**
   * How many times the operation starts, the starts after a takeover by another owner included.
   * Default: 6.
   */
  readonly rounds: number;
  /**
   * Milliseconds that one owner may keep the tenure before the operation gives up, or an arm takes
   * the tenure over. While the tenure passes from owner to owner the wait continues, at most five
   * times as long. Default: 2,000.
   */
  readonly waitMs: number;
  /**
   * How many looks in a row must find the folder quiet after an arm over an expired sentinel. 0: no
   * such looks. Default: 5.
   */
  readonly quietLooks: number;
}

/**
 * Enough for dozens of operations at once. An owner that does nothing for this long has stopped.
 */
export const PATIENCE: Patience = { tries: 3, rounds: 6, waitMs: 2_000, quietLooks: 5 };
