/**
 * What `fleet profiles` lists for each profile.
 */
import type { Session } from '../../fleet/session.ts';
import type { ReadProfile } from '../../fleet/settings.ts';
import { notSeenIn, type ProfileState } from '../../fleet/state.ts';

export interface ListedProfile extends ReadProfile {
  readonly profileState: ProfileState;
}

export interface ProfilesFacts {
  readonly session: Session;
  readonly listed: readonly ListedProfile[];
}

/** Whether everything could be read: the list of profiles, their settings and their states. */
export function isKnown({ session, listed }: ProfilesFacts): boolean {
  const { profiles: named, listing } = session.selection;
  if (named === null && listing.unreadable !== undefined) return false;
  return listed.every(
    ({ file, profileState }) =>
      file.state !== 'rejected' && profileState.states.every((state) => notSeenIn(state) === null),
  );
}
