/**
 * What a watcher that runs knows of the gateways of some lanes, asked once and not for long; and that
 * it is not known, where none answers. What the disk says does not wait for it [11].
 */
import { DEFAULT_LANE } from '@fleet-estop/sentinel-core';
import type { FleetFacts } from '../fleet/profiles.ts';
import type { Lane } from '../fleet/state.ts';
import {
  accountOf,
  isServed,
  type LaneAccount,
  outsidersIn,
  type Serving,
  seesSame,
  servedBy,
} from './account.ts';
import { type Expectation, expectationsOf } from './expected.ts';
import type { NotReached } from './request.ts';
import { type Leaver, leaversIn, mayMissGateways } from './settled.ts';
import { askState, type WatcherState } from './state.ts';

export interface Watching {
  readonly reached: true;
  /** Names the watcher's run. */
  readonly epoch: string;
  /** By profile; a lane that came after the watcher was asked has none. */
  readonly accounts: ReadonlyMap<string, LaneAccount>;
  /** Of these lanes, and of what is none where all of them are meant. */
  readonly leavers: readonly Leaver[];
  /** Connected, and of none of these lanes; null: only some are meant, or not all are known. */
  readonly outsiders: readonly Serving[] | null;
  /** The watcher has just started: there may be gateways that it does not know of yet. */
  readonly mayMissGateways: boolean;
}

export type Watched = Watching | NotReached;

export interface WatchedLanes {
  readonly watched: Watched;
  /** Those that were given, and `default` where a gateway serves it, or may come back to it. */
  readonly lanes: readonly Lane[];
}

/** One answer of the watcher, and what the settings say of the lanes that nobody serves by it. */
export interface Told {
  readonly reached: true;
  readonly state: WatcherState;
  readonly expectations: ReadonlyMap<string, Expectation>;
}

/** A watcher that does not answer must not make a status a long wait. */
const PATIENCE_MS = 1_000;

/** `facts` were read from disk before. */
export async function watchedLanes(facts: FleetFacts): Promise<WatchedLanes> {
  const asked = await askState(facts.session.root.root, { timeoutMs: PATIENCE_MS });
  if (!asked.reached) return withTold(facts, asked);
  // Nothing was asked for under a tag, so this is not.
  if (asked.state === null) throw new Error('the watcher answered with less than was asked for');
  return withTold(facts, await toldBy(asked.state, facts));
}

export async function toldBy(state: WatcherState, facts: FleetFacts): Promise<Told> {
  const served = servedBy(state);
  const unserved = namedIn(lanesAsServed(state, facts)).flatMap(({ profile }) =>
    isServed(served, profile) ? [] : [profile],
  );
  const expectations = await expectationsOf(facts.session.root.root, unserved);
  return { reached: true, state, expectations };
}

/** Whether a lane, or what binds all, may have changed on disk since the watcher was asked. */
export type HasChanged = (lane: Lane) => boolean;

/** What it says of these lanes. Without `hasChanged` they were read before it was asked. */
export function withTold(
  facts: FleetFacts,
  told: Told | NotReached,
  hasChanged: HasChanged = () => false,
): WatchedLanes {
  if (!told.reached) return { watched: told, lanes: facts.lanes };
  const { session, root } = facts;
  const { state, expectations } = told;
  const served = servedBy(state);
  const lanes = lanesAsServed(state, facts);
  // What looks the same may have been something else in between.
  const sees = (lane: Lane): boolean => !hasChanged(lane) && seesSame(state, lane);
  const named = namedIn(lanes);
  const names = new Set(named.map(({ profile }) => profile));
  const isLane = (name: string): boolean => names.has(name);
  const accounts = new Map(
    named
      // Whether a gateway is expected was asked of those that were there then.
      .filter(({ profile }) => isServed(served, profile) || expectations.has(profile))
      .map((lane) => [lane.profile, accountOf(state, served, lane, expectations, sees)]),
  );
  // Where lanes are missing here, whatever is served may well be one of them.
  const isWhole = meansAll(facts) && session.selection.listing.unreadable === undefined;
  return {
    watched: {
      reached: true,
      epoch: state.epoch,
      accounts,
      leavers: leaversIn(state, isWhole ? () => true : isLane),
      outsiders: isWhole ? outsidersIn(served, isLane, sees(root)) : null,
      mayMissGateways: mayMissGateways(session.root.root),
    },
    lanes,
  };
}

const meansAll = ({ session }: FleetFacts): boolean => session.selection.profiles === null;

/** Where all lanes are meant, one that is known only because a gateway serves it belongs to them. */
function lanesAsServed(state: WatcherState, facts: FleetFacts): readonly Lane[] {
  const { root, lanes } = facts;
  if (!meansAll(facts) || lanes.some(({ profile }) => profile === DEFAULT_LANE)) return lanes;
  const isMeant =
    isServed(servedBy(state), DEFAULT_LANE) ||
    leaversIn(state, (name) => name === DEFAULT_LANE).length > 0;
  return isMeant ? [{ profile: DEFAULT_LANE, states: root.states }, ...lanes] : lanes;
}

const namedIn = (lanes: readonly Lane[]): (Lane & { readonly profile: string })[] =>
  lanes.flatMap(({ profile, states }) => (profile === null ? [] : [{ profile, states }]));
