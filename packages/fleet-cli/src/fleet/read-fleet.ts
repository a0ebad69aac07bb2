/**
 * Reads the state of the root and of the selected profiles.
 * What is shown or decided from it is up to each verb.
 */
import type { Session } from './session.ts';
import { type ProfileState, readProfileState, readRootState } from './state.ts';

export interface FleetFacts {
  readonly session: Session;
  readonly root: ProfileState;
  readonly profileStates: readonly ProfileState[];
}

/** The root and the selected profiles, or all profiles if none is selected. */
export function readFleet(session: Session): FleetFacts {
  const { disk, selection } = session;
  const rootDir = session.root.root;
  const root = readRootState(disk, rootDir);
  const profiles = selection.profiles ?? selection.listing.profiles;
  return {
    session,
    root,
    profileStates: profiles.map((profile) => readProfileState(disk, root, rootDir, profile)),
  };
}
