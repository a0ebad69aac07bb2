/**
 * The folders that can be held, the chain of them that binds a profile, and the result of a check
 * of one.
 * `fleet/chain.ts` finds the chain of a home folder.
 */
import type { Allow, Hold } from './hold.ts';

/** A folder that can be held. */
export interface Scope {
  readonly kind: 'profile' | 'root' | 'cluster';
  /** The folder whose `ESTOP` is this scope's sentinel. Absolute path. */
  readonly dir: string;
  /** The profile's name; only in a profile's scope. */
  readonly profile?: string;
}

/**
 * The scopes that bind a profile, nearest first: profile, root, cluster. The profile `default` is
 * served from the root itself and has no scope of its own.
 */
export interface Chain {
  readonly profile: string;
  readonly root: string;
  readonly scopes: readonly Scope[];
}

/** What `check` answers for one scope. */
export type ScopeCheck =
  | {
      readonly engaged: false;
      /** An expired sentinel is there and waits for retirement. */
      readonly expired: boolean;
    }
  | {
      readonly engaged: true;
      /** Never empty: a sentinel that cannot be read is one anonymous, unreadable hold [2]. */
      readonly holds: readonly Hold[];
      /** The allowlist of the top level. It must admit a principal as well as the holds do. */
      readonly topAllow: Allow | null;
      readonly generation: string | null;
      /**
       * Why the sentinel could not be read and so counts as held: an errno, `unsettled`,
       * `not-json`, ….
       */
      readonly unreadable?: string;
      /** Holds were seen inside a tenure: an operation is at work, or its owner died. */
      readonly aside?: true;
      /**
       * Expired, but this process may not remove it. A gateway that must remove it would stay held.
       * Decision: `2026-11-29-expired-but-not-removable.md`.
       */
      readonly overdue?: true;
    };
