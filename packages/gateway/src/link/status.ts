/**
 * Types of a served profile and of the link's status.
 * What holds a profile is `profile-state.ts`, from the disk.
 */
import type { ServedProfile } from '@fleet-estop/protocol';

export interface LinkedProfile extends ServedProfile {
  /** Refusals since the gateway started. Default: 0. */
  readonly refused?: number;
}

/** Status of the connection to the watcher. Holds on disk are followed in every status. */
export type LinkStatus =
  /** Not connected; retrying. No watcher runs, or the last connection ended (`why`, `hint`). */
  | { readonly link: 'connecting'; readonly why: string | null; readonly hint: string | null }
  /** Connected to the watcher of this epoch. */
  | { readonly link: 'connected'; readonly epoch: string }
  /**
   * Connected, but the watcher missed its heartbeats. The connection is kept until another watcher's
   * socket replaces it.
   */
  | { readonly link: 'stale' }
  /**
   * Given up, because a retry would not help. `refresh` retries. With code `protocol`, the link also
   * retries by itself when a new watcher's socket appears.
   */
  | {
      readonly link: 'refused';
      readonly code: 'protocol' | 'too-long' | 'socket-path';
      readonly message: string;
      readonly hint: string;
    }
  | { readonly link: 'closed' };

export const sameStatus = (a: LinkStatus, b: LinkStatus): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
