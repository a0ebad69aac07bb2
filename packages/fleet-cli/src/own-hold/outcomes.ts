/**
 * The possible results of placing, renewing and lifting a window's hold in one scope.
 * They are made in `own-hold.ts`; their messages are `text.ts`.
 */
import type { Hold, ScopeState } from '@fleet-estop/sentinel-core';

export type PlaceResult =
  | {
      readonly placed: true;
      readonly hold: Hold;
      readonly generation: string | null;
      readonly before: ScopeState;
      readonly after: ScopeState;
    }
  /** `why`: `name-taken`, `no-deadline`, or the `why` of `arm`. */
  | { readonly placed: false; readonly why: string };

/** A change that a look found and that must be reported. */
export type HoldChange =
  /** Somebody else lifted it before its deadline. It is not placed again. */
  | { readonly kind: 'taken' }
  /** Its deadline passed without a renewal. `again`: the new hold, or why there is none yet. */
  | {
      readonly kind: 'lapsed';
      readonly fromMs: number;
      readonly toMs: number;
      readonly again: Hold | { readonly why: string };
      readonly generation: string | null;
    }
  | { readonly kind: 'not-renewed'; readonly why: string; readonly deadlineMs: number }
  | { readonly kind: 'renewed-at-last'; readonly deadlineMs: number };

export type EndResult =
  | {
      readonly kind: 'lifted';
      readonly holds: readonly Hold[];
      /** The whole chain afterwards, nearest first. */
      readonly after: readonly ScopeState[];
    }
  /** The hold was gone already. `reported`: a message was printed before. */
  | {
      readonly kind: 'gone';
      readonly deadlineMs: number;
      readonly toMs: number;
      readonly reported: boolean;
    }
  | { readonly kind: 'not-lifted'; readonly why: string; readonly hold: Hold | null }
  | { readonly kind: 'never-placed' };
