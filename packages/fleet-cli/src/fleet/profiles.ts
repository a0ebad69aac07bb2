/**
 * Reads the root and the lanes that a call is about.
 * What is shown or judged of them is each verb's own.
 */
import type { Session } from './session.ts';
import { type Lane, readLane, readRoot } from './state.ts';

export interface FleetFacts {
  readonly session: Session;
  readonly root: Lane;
  readonly lanes: readonly Lane[];
}

/** The root and the selected profiles; all of them where none was selected. */
export function readFleet(session: Session): FleetFacts {
  const { disk, selection } = session;
  const rootDir = session.root.root;
  const root = readRoot(disk, rootDir);
  const profiles = selection.profiles ?? selection.listing.profiles;
  return {
    session,
    root,
    lanes: profiles.map((profile) => readLane(disk, root, rootDir, profile)),
  };
}
