/**
 * The folders that can be held, the chain of them that binds a profile, and what stands in one.
 * How a chain is found from a home folder is `chain.ts`.
 */
import type { Allow, Hold } from './hold.ts';

export interface Scope {
  readonly kind: 'profile' | 'root' | 'cluster';
  /** The folder whose `ESTOP` is this scope's sentinel; absolute. */
  readonly dir: string;
  /** The profile's name, for a profile's scope. */
  readonly profile?: string;
}

/** Nearest first: profile, root, cluster. The lane `default` is served from the root itself. */
export interface Chain {
  readonly profile: string;
  readonly root: string;
  readonly scopes: readonly Scope[];
}

/** What stands at the sentinel of one scope, as admission sees it. */
export type ScopeCheck =
  | {
      readonly engaged: false;
      /** An expired sentinel stands there and waits for retirement. */
      readonly expired: boolean;
    }
  | {
      readonly engaged: true;
      /** Never empty: what cannot be read is one anonymous, unreadable hold. */
      readonly holds: readonly Hold[];
      /** What the top level of the body allows; it must agree with the holds. */
      readonly topAllow: Allow | null;
      readonly generation: string | null;
      /** Errno, `unsettled`, `not-json`, … where the state is held because it could not be read. */
      readonly unreadable?: string;
      /** Seen inside a tenure: an operation is under way, or its owner died. */
      readonly aside?: true;
      /** Expired, but this process may not remove it, and a gateway that must would stay held. */
      readonly overdue?: true;
    };
