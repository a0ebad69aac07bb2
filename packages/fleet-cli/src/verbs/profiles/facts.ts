/**
 * What is listed of each profile.
 */
import type { Session } from '../../fleet/session.ts';
import type { ReadProfile } from '../../fleet/settings.ts';
import { type Lane, notSeenIn } from '../../fleet/state.ts';

export interface ListedProfile extends ReadProfile {
  readonly lane: Lane;
}

export interface ProfilesFacts {
  readonly session: Session;
  readonly listed: readonly ListedProfile[];
}

/** Whether everything could be read: which profiles there are, their settings, their states. */
export function isKnown({ session, listed }: ProfilesFacts): boolean {
  const { profiles: named, listing } = session.selection;
  if (named === null && listing.unreadable !== undefined) return false;
  return listed.every(
    ({ file, lane }) =>
      file.state !== 'rejected' && lane.states.every((state) => notSeenIn(state) === null),
  );
}
