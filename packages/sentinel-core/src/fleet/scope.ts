/**
 * The folders that can be held, and the chain of them that binds a profile.
 * How a chain is found from a home folder is `chain.ts`.
 */
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
