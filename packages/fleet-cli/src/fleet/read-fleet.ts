/**
 * Reads the root and the lanes that a call is about.
 * What is shown or judged of them is each verb's own.
 */
import type { Session } from './session.ts';
import { type ProfileState, readProfileState, readRootState } from './state.ts';

export interface FleetFacts {
  readonly session: Session;
  readonly root: ProfileState;
  readonly profileStates: readonly ProfileState[];
}

/** The root and the selected profiles; all of them where none was selected. */
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
