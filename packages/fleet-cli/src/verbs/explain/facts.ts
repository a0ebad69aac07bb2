/**
 * What is explained of each profile: rulings, work in hand, gateways.
 */
import { readRegister, type WorkRecord } from '@fleet-estop/ledger';
import {
  admit,
  DEFAULT_LANE,
  type Ruling,
  explain as rulingsFor,
} from '@fleet-estop/sentinel-core';
import type { ReappearedHolds } from '../../fleet/reappeared-holds.ts';
import type { Session } from '../../fleet/session.ts';
import type { ProfileState } from '../../fleet/state.ts';
import { byAge } from '../../fleet/work-text.ts';
import type { Watched } from '../../watcher-client/watched.ts';

export interface ExplainedProfile {
  readonly profileState: ProfileState;
  readonly rulings: readonly Ruling[];
  readonly admitted: boolean;
  readonly work: WorkInHand;
}

/** What its gateways have in hand by the register in its home, which needs no watcher. */
export interface WorkInHand {
  readonly count: number;
  /** Of `count`: nobody here can tell whether they run, so they count. */
  readonly unproven: number;
  /** There may be more: part of the register could not be read. */
  readonly complete: boolean;
  /** null: nothing is in hand that can be read. */
  readonly oldest: WorkRecord | null;
}

export interface ExplainFacts {
  readonly session: Session;
  /** null: no user was named, so nobody is admitted by name. */
  readonly user: string | null;
  readonly explained: readonly ExplainedProfile[];
  /** Where only the root was asked about: the profiles that have holds of their own. */
  readonly heldAlone: readonly string[];
  /** What is known of the gateways of those lanes, of all where only the root was asked about. */
  readonly watched: Watched;
  /** Holds that the journal knows as ended. */
  readonly reappearedHolds: ReappearedHolds;
}

export function explainProfile(profileState: ProfileState, user: string | null): ExplainedProfile {
  // Served from the root itself, work is the lane `default`'s.
  const applicant = { principal: user, profile: profileState.profile ?? DEFAULT_LANE };
  const rulings = rulingsFor(profileState.states, applicant);
  const { admitted } = admit(profileState.states, applicant);
  return { profileState, rulings, admitted, work: workInHand(profileState) };
}

/** The nearest scope of a lane lies in the home that its gateways serve. */
export function workInHand({ states: [nearest] }: ProfileState): WorkInHand {
  if (nearest === undefined) return { count: 0, unproven: 0, complete: true, oldest: null };
  const { work, complete } = readRegister(nearest.scope.dir);
  const inHand = work.filter(({ fate }) => fate !== 'abandoned').sort(byAge);
  const unproven = inHand.filter(({ fate }) => fate === 'unproven').length;
  return { count: inHand.length, unproven, complete, oldest: inHand[0] ?? null };
}
