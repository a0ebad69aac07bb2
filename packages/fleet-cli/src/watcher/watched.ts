/**
 * What a watcher that runs knows of the gateways of some lanes, asked once and not for long; and that
 * it is not known, where none answers. What the disk says does not wait for it [11].
 */
import { DEFAULT_LANE } from '@fleet-estop/sentinel-core';
import type { Lane } from '../state.ts';
import { accountOf, isServed, type LaneAccount, servedBy } from './account.ts';
import { expectationsOf } from './expected.ts';
import type { NotReached } from './request.ts';
import { type Leaver, leaversIn } from './settled.ts';
import { askState } from './state.ts';

export interface Watching {
  readonly reached: true;
  /** Names the watcher's run. */
  readonly epoch: string;
  /** By profile; every lane that was asked for has one. */
  readonly accounts: ReadonlyMap<string, LaneAccount>;
  /** Of these lanes. */
  readonly leavers: readonly Leaver[];
}

export type Watched = Watching | NotReached;

export interface WatchedLanes {
  readonly watched: Watched;
  /** Those that were given, and `default` where a gateway serves it, or may come back to it. */
  readonly lanes: readonly Lane[];
}

/** A watcher that does not answer must not make a status a long wait. */
const PATIENCE_MS = 1_000;

/**
 * `lanes` and `rootLane` were read from disk before. `all`: they are all lanes there are, so one that
 * is known only because a gateway serves it belongs to them.
 */
export async function watchedLanes(
  root: string,
  rootLane: Lane,
  given: readonly Lane[],
  { all, timeoutMs = PATIENCE_MS }: { readonly all: boolean; readonly timeoutMs?: number },
): Promise<WatchedLanes> {
  const asked = await askState(root, { timeoutMs });
  if (!asked.reached) return { watched: asked, lanes: given };
  const { state } = asked;
  // Nothing was asked for under a tag, so this is not.
  if (state === null) throw new Error('the watcher answered with less than was asked for');
  const served = servedBy(state);
  const isDefaultMeant =
    all &&
    (isServed(served, DEFAULT_LANE) ||
      leaversIn(state, (name) => name === DEFAULT_LANE).length > 0);
  const lanes = isDefaultMeant ? withDefault(given, rootLane) : given;
  const named = lanes.flatMap(({ profile, states }) =>
    profile === null ? [] : [{ profile, states }],
  );
  const unserved = named.map(({ profile }) => profile).filter((name) => !isServed(served, name));
  const expectations = await expectationsOf(root, unserved);
  const accounts = new Map(
    named.map((lane) => [lane.profile, accountOf(state, served, lane, expectations)]),
  );
  return {
    watched: {
      reached: true,
      epoch: state.epoch,
      accounts,
      leavers: leaversIn(state, (name) => accounts.has(name)),
    },
    lanes,
  };
}

function withDefault(lanes: readonly Lane[], { states }: Lane): readonly Lane[] {
  if (lanes.some(({ profile }) => profile === DEFAULT_LANE)) return lanes;
  return [{ profile: DEFAULT_LANE, states }, ...lanes];
}
