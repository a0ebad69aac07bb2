/**
 * Asks a running watcher once, with a short timeout, for the gateways of some profiles. Without an answer the
 * gateways are unknown; the state on disk does not depend on it [11].
 */
import { DEFAULT_PROFILE } from '@fleet-estop/sentinel-core';
import type { FleetFacts } from '../fleet/read-fleet.ts';
import type { ProfileState } from '../fleet/state.ts';
import {
  accountOf,
  type DepartedGateway,
  departedIn,
  isServed,
  outsidersIn,
  type ProfileAccount,
  type Serving,
  seesSame,
  servedBy,
} from './account.ts';
import { askState } from './ask-state.ts';
import { type Expectation, expectationsOf } from './expected.ts';
import type { NotReached } from './request.ts';
import type { WatcherState } from './state.ts';

export interface Watching {
  readonly reached: true;
  /** Identifies the watcher run. */
  readonly epoch: string;
  /** By profile; a profile that was added after the watcher was asked has none. */
  readonly accounts: ReadonlyMap<string, ProfileAccount>;
  /** Of these profiles, and of names outside the fleet if all profiles are meant. */
  readonly departed: readonly DepartedGateway[];
  /**
   * Connected gateways of names outside the fleet; null: only some profiles are meant, or they cannot be
   * listed.
   */
  readonly outsiders: readonly Serving[] | null;
  /** The watcher has just started, so it may not know all gateways yet. */
  readonly mayMissGateways: boolean;
}

export type Watched = Watching | NotReached;

export interface WatchedProfiles {
  readonly watched: Watched;
  /** The given profiles, and `default` if a gateway serves it or may reconnect to it. */
  readonly profileStates: readonly ProfileState[];
}

/** One answer of the watcher, and which gateways the settings expect for the profiles without one. */
export interface WatcherAnswer {
  readonly reached: true;
  readonly state: WatcherState;
  readonly expectations: ReadonlyMap<string, Expectation>;
}

/** A watcher that does not answer must not delay a status for long. */
const PATIENCE_MS = 1_000;

/** `facts` were read from disk before. */
export async function watchedProfiles(facts: FleetFacts): Promise<WatchedProfiles> {
  const asked = await askState(facts.session.root.root, { timeoutMs: PATIENCE_MS });
  if (!asked.reached) return withAnswer(facts, asked);
  // Without a tag in the request, the answer always has a state.
  if (asked.state === null) throw new Error('the watcher answered without a state');
  return withAnswer(facts, await answerFrom(asked.state, facts));
}

export async function answerFrom(state: WatcherState, facts: FleetFacts): Promise<WatcherAnswer> {
  const served = servedBy(state);
  const unserved = namedIn(profilesAsServed(state, facts)).flatMap(({ profile }) =>
    isServed(served, profile) ? [] : [profile],
  );
  const expectations = await expectationsOf(facts.session.root.root, unserved);
  return { reached: true, state, expectations };
}

/** Whether a profile, or the root, may have changed on disk since the watcher was asked. */
export type ChangedSinceAsked = (profileState: ProfileState) => boolean;

/**
 * Combines an answer with the state on disk. Without `changedSinceAsked`, the disk was read before the
 * request.
 */
export function withAnswer(
  facts: FleetFacts,
  answer: WatcherAnswer | NotReached,
  changedSinceAsked: ChangedSinceAsked = () => false,
): WatchedProfiles {
  if (!answer.reached) return { watched: answer, profileStates: facts.profileStates };
  const { session, root } = facts;
  const { state, expectations } = answer;
  const served = servedBy(state);
  const profileStates = profilesAsServed(state, facts);
  // A state that looks the same may have been another one in between.
  const sees = (profileState: ProfileState): boolean =>
    !changedSinceAsked(profileState) && seesSame(state, profileState);
  const named = namedIn(profileStates);
  const names = new Set(named.map(({ profile }) => profile));
  const isProfile = (name: string): boolean => names.has(name);
  const accounts = new Map(
    named
      // Expectations were read only for the profiles that existed then.
      .filter(({ profile }) => isServed(served, profile) || expectations.has(profile))
      .map((profileState) => [
        profileState.profile,
        accountOf(state, served, profileState, expectations, sees),
      ]),
  );
  // If the profiles cannot be listed, a served name may be one of them.
  const isWhole = meansAll(facts) && session.selection.listing.unreadable === undefined;
  return {
    watched: {
      reached: true,
      epoch: state.epoch,
      accounts,
      departed: departedIn(state, isWhole ? () => true : isProfile),
      outsiders: isWhole ? outsidersIn(served, isProfile, sees(root)) : null,
      mayMissGateways: state.starting,
    },
    profileStates,
  };
}

const meansAll = ({ session }: FleetFacts): boolean => session.selection.profiles === null;

/** If all profiles are meant, `default` belongs to them as soon as a gateway serves it. */
function profilesAsServed(state: WatcherState, facts: FleetFacts): readonly ProfileState[] {
  const { root, profileStates } = facts;
  if (!meansAll(facts) || profileStates.some(({ profile }) => profile === DEFAULT_PROFILE))
    return profileStates;
  const isMeant =
    isServed(servedBy(state), DEFAULT_PROFILE) ||
    departedIn(state, (name) => name === DEFAULT_PROFILE).length > 0;
  return isMeant
    ? [{ profile: DEFAULT_PROFILE, states: root.states }, ...profileStates]
    : profileStates;
}

const namedIn = (
  profileStates: readonly ProfileState[],
): (ProfileState & { readonly profile: string })[] =>
  profileStates.flatMap(({ profile, states }) => (profile === null ? [] : [{ profile, states }]));
