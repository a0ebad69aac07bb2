/**
 * What becomes of a window's hold in one scope: when it is placed, looked after, and lifted.
 * How it comes to that is `own-hold.ts`; the words for it are `verbs/window/text.ts`.
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
  /** `why`: `name-taken`, `no-deadline`, or what `arm` said. */
  | { readonly placed: false; readonly why: string };

/** What a look found that people must hear of. */
export type HoldChange =
  /** It is gone before its deadline: somebody else lifted it. It is not placed again. */
  | { readonly kind: 'taken' }
  /** Its deadline passed while nobody renewed it. `again`: the hold in its place, or why there is none yet. */
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
  /** Nothing of ours stood there any more. `said`: people have heard of it already. */
  | {
      readonly kind: 'gone';
      readonly deadlineMs: number;
      readonly toMs: number;
      readonly reported: boolean;
    }
  | { readonly kind: 'not-lifted'; readonly why: string; readonly hold: Hold | null }
  | { readonly kind: 'never-placed' };
