/**
 * What a watcher that runs knows of the gateways of some lanes, asked once and not for long; and that
 * it is not known, where none answers. What the disk says does not wait for it [11].
 */
import { DEFAULT_LANE } from '@fleet-estop/sentinel-core';
import type { FleetFacts } from '../fleet/read-fleet.ts';
import type { ProfileState } from '../fleet/state.ts';
import {
  accountOf,
  isServed,
  outsidersIn,
  type ProfileAccount,
  type Serving,
  seesSame,
  servedBy,
} from './account.ts';
import { type Expectation, expectationsOf } from './expected.ts';
import { type DepartedGateway, departedIn, mayMissGateways } from './reconnecting.ts';
import type { NotReached } from './request.ts';
import { askState, type WatcherState } from './state.ts';

export interface Watching {
  readonly reached: true;
  /** Names the watcher's run. */
  readonly epoch: string;
  /** By profile; a lane that came after the watcher was asked has none. */
  readonly accounts: ReadonlyMap<string, ProfileAccount>;
  /** Of these lanes, and of what is none where all of them are meant. */
  readonly departed: readonly DepartedGateway[];
  /** Connected, and of none of these lanes; null: only some are meant, or not all are known. */
  readonly outsiders: readonly Serving[] | null;
  /** The watcher has just started: there may be gateways that it does not know of yet. */
  readonly mayMissGateways: boolean;
}

export type Watched = Watching | NotReached;

export interface WatchedProfiles {
  readonly watched: Watched;
  /** Those that were given, and `default` where a gateway serves it, or may come back to it. */
  readonly profileStates: readonly ProfileState[];
}

/** One answer of the watcher, and what the settings say of the lanes that nobody serves by it. */
export interface WatcherAnswer {
  readonly reached: true;
  readonly state: WatcherState;
  readonly expectations: ReadonlyMap<string, Expectation>;
}

/** A watcher that does not answer must not make a status a long wait. */
const PATIENCE_MS = 1_000;

/** `facts` were read from disk before. */
export async function watchedProfiles(facts: FleetFacts): Promise<WatchedProfiles> {
  const asked = await askState(facts.session.root.root, { timeoutMs: PATIENCE_MS });
  if (!asked.reached) return withAnswer(facts, asked);
  // Nothing was asked for under a tag, so this is not.
  if (asked.state === null) throw new Error('the watcher answered with less than was asked for');
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

/** Whether a lane, or what binds all, may have changed on disk since the watcher was asked. */
export type ChangedSinceAsked = (profileState: ProfileState) => boolean;

/** What it says of these lanes. Without `hasChanged` they were read before it was asked. */
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
  // What looks the same may have been something else in between.
  const sees = (profileState: ProfileState): boolean =>
    !changedSinceAsked(profileState) && seesSame(state, profileState);
  const named = namedIn(profileStates);
  const names = new Set(named.map(({ profile }) => profile));
  const isProfile = (name: string): boolean => names.has(name);
  const accounts = new Map(
    named
      // Whether a gateway is expected was asked of those that were there then.
      .filter(({ profile }) => isServed(served, profile) || expectations.has(profile))
      .map((profileState) => [
        profileState.profile,
        accountOf(state, served, profileState, expectations, sees),
      ]),
  );
  // Where lanes are missing here, whatever is served may well be one of them.
  const isWhole = meansAll(facts) && session.selection.listing.unreadable === undefined;
  return {
    watched: {
      reached: true,
      epoch: state.epoch,
      accounts,
      departed: departedIn(state, isWhole ? () => true : isProfile),
      outsiders: isWhole ? outsidersIn(served, isProfile, sees(root)) : null,
      mayMissGateways: mayMissGateways(session.root.root),
    },
    profileStates,
  };
}

const meansAll = ({ session }: FleetFacts): boolean => session.selection.profiles === null;

/** Where all lanes are meant, one that is known only because a gateway serves it belongs to them. */
function profilesAsServed(state: WatcherState, facts: FleetFacts): readonly ProfileState[] {
  const { root, profileStates } = facts;
  if (!meansAll(facts) || profileStates.some(({ profile }) => profile === DEFAULT_LANE))
    return profileStates;
  const isMeant =
    isServed(servedBy(state), DEFAULT_LANE) ||
    departedIn(state, (name) => name === DEFAULT_LANE).length > 0;
  return isMeant
    ? [{ profile: DEFAULT_LANE, states: root.states }, ...profileStates]
    : profileStates;
}

const namedIn = (
  profileStates: readonly ProfileState[],
): (ProfileState & { readonly profile: string })[] =>
  profileStates.flatMap(({ profile, states }) => (profile === null ? [] : [{ profile, states }]));
