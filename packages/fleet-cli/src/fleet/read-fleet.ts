/**
 * Reads the state of the root and of the selected profiles.
 * What is shown or decided from it is up to each verb.
 */
import type { Session } from './session.ts';
import { isHeld, type ProfileState, readProfileState, readRootState } from './state.ts';

export interface FleetFacts {
  readonly session: Session;
  readonly root: ProfileState;
  readonly profileStates: readonly ProfileState[];
}

/**
 * The root and the selected profiles, or all profiles if none is selected.
 * INVARIANT 3: while they are read, a hold can move from a profile that is read later to the root, which was
 * read before. So a root that is free is read again, and where it is held now, everything is.
 */
export function readFleet(session: Session): FleetFacts {
  const facts = readOnce(session);
  if (isHeld(facts.root.states)) return facts;
  const rootNow = readRootState(session.disk, session.root.root);
  return isHeld(rootNow.states) ? readOnce(session) : facts;
}

function readOnce(session: Session): FleetFacts {
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
