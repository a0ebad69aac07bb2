/**
 * What a gateway says of a profile it serves, and what is known of the link to the watcher.
 * What holds the profile is neither: that is `profile-state.ts`, from the disk.
 */
import type { ServedProfile } from '@fleet-estop/wire';

export interface LinkedProfile extends ServedProfile {
  /** Refusals since the gateway started. Default: 0. */
  readonly refused?: number;
}

/** Whatever it is, holds on disk apply, and are followed. */
export type LinkStatus =
  /** Not connected, and tried again: no watcher runs, or the last connection ended. */
  | { readonly link: 'connecting'; readonly why: string | null; readonly hint: string | null }
  /** The watcher of this epoch is heard. */
  | { readonly link: 'connected'; readonly epoch: string }
  /**
   * Connected, and nothing was heard for longer than a heartbeat allows. It is left only for another
   * watcher's socket in its place.
   */
  | { readonly link: 'stale' }
  /**
   * Given up, since trying again would not help. `refresh` tries once more, and where the protocol is
   * another one, so does the link itself once another watcher's socket stands there.
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
