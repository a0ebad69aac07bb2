/**
 * The facts of `fleet status`: the state of the fleet, its gateways, and which profiles are shown.
 */
import { readRegister } from '@fleet-estop/ledger';
import { EXIT, type ExitCode } from '../../cli/exit-codes.ts';
import type { FleetFacts } from '../../fleet/read-fleet.ts';
import { isHeld, notSeenIn, type ProfileState } from '../../fleet/state.ts';
import { type WorkInHand, workInHand } from '../../fleet/work-in-hand.ts';
import type { Watched, WatchedProfiles } from '../../watcher-client/watched.ts';

export const ONLY = ['paused', 'running', 'unreadable'] as const;
export type Only = (typeof ONLY)[number];

export interface StatusFacts extends FleetFacts {
  /** null: every profile is shown. */
  readonly only: Only | null;
  /** The profiles that are shown; the summary counts all of them. */
  readonly shown: readonly ProfileState[];
  /** Work in hand of the profiles that are shown, by profile; not yet read if empty. */
  readonly work: ReadonlyMap<string | null, WorkInHand>;
  /** The gateways, or why they are unknown; null: the watcher was not asked. */
  readonly watched: Watched | null;
}

export const withGateways = (
  facts: StatusFacts,
  { profileStates, watched }: WatchedProfiles,
): StatusFacts => {
  const shown = profileStates.filter((profileState) => isShown(facts.only, profileState));
  const work = new Map(shown.map((it) => [it.profile, workInHand(it, readRegister)]));
  return { ...facts, profileStates, shown, work, watched };
};

export function isShown(only: Only | null, { states }: ProfileState): boolean {
  switch (only) {
    case null:
      return true;
    case 'paused':
      return isHeld(states);
    case 'running':
      return !isHeld(states);
    case 'unreadable':
      return states.some((state) => notSeenIn(state) !== null);
  }
}

/** 3 if a state or the list of profiles could not be read. */
export function exitOfStatus({ session, root, profileStates }: FleetFacts): ExitCode {
  const { profiles, listing } = session.selection;
  if (profiles === null && listing.unreadable !== undefined) return EXIT.unreadable;
  const readable = [root, ...profileStates].every(({ states }) =>
    states.every((state) => notSeenIn(state) === null),
  );
  return readable ? EXIT.done : EXIT.unreadable;
}
