/**
 * What the operations on one scope answer. Foreseen results are values; nothing here is thrown.
 */
import type { Actor, Allow, Hold } from '../model/hold.ts';

/** `why` is one of these words or the errno code that stopped us. */
export type Why = string;

export interface ArmRequest {
  /** Default: `operator`. */
  readonly holder?: string;
  /** undefined: keep what this holder's hold says; null: none. */
  readonly reason?: string | null;
  /** ISO 8601 with offset. undefined: keep this holder's deadline (never one already passed); null: no deadline. */
  readonly expiresAt?: string | null;
  /** undefined: keep this holder's allowlist; null: nobody passes. */
  readonly allow?: Allow | null;
  readonly actor?: Actor;
  /** Compare and set: only if this is the generation on disk; null: only if nothing holds. */
  readonly expectGeneration?: string | null;
}

export type ArmResult =
  | {
      readonly armed: true;
      /** The id of the hold that was read back from disk. */
      readonly id: string;
      readonly generation: string | null;
      readonly hold: Hold;
      /** Everything that stands in the scope afterwards, ours included. */
      readonly holds: readonly Hold[];
      /**
       * `direct`: written without a tenure. `empty`, `folder`: only an empty file, or only a folder,
       * could be placed: it holds, never expires, admits nobody.
       */
      readonly degraded?: 'direct' | 'empty' | 'folder';
      readonly why?: Why;
      /** This holder's hold that was replaced, where there was one. */
      readonly replaced: Hold | null;
      /** The reason was longer than a hold may carry and was cut. */
      readonly shortened?: true;
    }
  | {
      readonly armed: false;
      /** `conflict`, `overtaken`, `busy`, `unseen`, `too-many-holders`, `too-large`, or an errno code. */
      readonly why: Why;
      /** Whether the scope is held all the same, by others. */
      readonly engaged: boolean;
      readonly holds: readonly Hold[];
      readonly generation: string | null;
    };

/**
 * Which holds to lift: those of one holder, one by id, or all of the scope. `anonymous`: what nobody
 * signed as well, which for `operator` goes without saying.
 */
export type LiftSelection =
  | { readonly holder: string; readonly anonymous?: true }
  | { readonly id: string }
  | { readonly everyone: true };

export type LiftResult =
  | {
      readonly lifted: true;
      readonly holds: readonly Hold[];
      /** What still stands in this scope. */
      readonly remaining: readonly Hold[];
      /** Finished by whoever took over our tenure. */
      readonly assisted?: true;
      /** A non-empty folder stood in the sentinel's place: its name now, beside it. Nothing of it is lost. */
      readonly setAside?: readonly string[];
    }
  | {
      readonly lifted: false;
      /** `absent`, `expired`, `not-held`, `superseded`, `busy`, or an errno code. */
      readonly why: Why;
      readonly remaining: readonly Hold[];
    };

export type RetireResult =
  | { readonly retired: true; readonly holds: readonly Hold[] }
  | {
      readonly retired: false;
      /** `absent`, `active`, `uncertain`, `superseded`, `busy`, or an errno code. */
      readonly why: Why;
    };

/** How long an operation waits for its turn. */
export interface Patience {
  /** At least so often the tenure is tried for. */
  readonly tries: number;
  /** How often to begin again after being robbed of it. */
  readonly rounds: number;
  /**
   * Milliseconds that one owner may keep the tenure before it is given up, or taken over by an arm.
   * While it goes from owner to owner the wait goes on, five times as long at most.
   */
  readonly waitMs: number;
  /** An arm over what had expired: how many looks in a row must find the folder quiet afterwards; 0: none. */
  readonly quietLooks: number;
}

/** Enough for dozens of operations at once; an owner that does nothing for so long has stopped. */
export const PATIENCE: Patience = { tries: 3, rounds: 6, waitMs: 2_000, quietLooks: 5 };
