/**
 * What a status is about: scopes, holds and gateways, and which profiles are shown.
 */
import { EXIT, type ExitCode } from '../../cli/exit-codes.ts';
import type { FleetFacts } from '../../fleet/read-fleet.ts';
import { isHeld, notSeenIn, type ProfileState } from '../../fleet/state.ts';
import type { Watched, WatchedProfiles } from '../../watcher-client/watched.ts';

export const ONLY = ['paused', 'running', 'unreadable'] as const;
export type Only = (typeof ONLY)[number];

export interface StatusFacts extends FleetFacts {
  /** null: every lane is shown. */
  readonly only: Only | null;
  /** Lanes that are shown; all of them are counted. */
  readonly shown: readonly ProfileState[];
  /** What is known of gateways, or why nothing is; null: nobody was asked. */
  readonly watched: Watched | null;
}

export const withGateways = (
  facts: StatusFacts,
  { profileStates, watched }: WatchedProfiles,
): StatusFacts => ({
  ...facts,
  profileStates,
  shown: profileStates.filter((profileState) => isShown(facts.only, profileState)),
  watched,
});

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

/** Whether every state that was asked for could be read, and which profiles there are. */
export function exitOfStatus({ session, root, profileStates }: FleetFacts): ExitCode {
  const { profiles, listing } = session.selection;
  if (profiles === null && listing.unreadable !== undefined) return EXIT.unreadable;
  const readable = [root, ...profileStates].every(({ states }) =>
    states.every((state) => notSeenIn(state) === null),
  );
  return readable ? EXIT.done : EXIT.unreadable;
}
