/**
 * What `fleet explain` finds for each profile: rulings of its holds, work in hand, gateways.
 */
import { readRegister, type WorkRecord } from '@fleet-estop/ledger';
import {
  admit,
  DEFAULT_PROFILE,
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

/** Work in hand, from the register in the profile's home; needs no watcher. */
export interface WorkInHand {
  readonly count: number;
  /** How many of `count` may or may not run. They count. */
  readonly unproven: number;
  /** false: part of the register could not be read, so there may be more. */
  readonly complete: boolean;
  /** null: there is no readable work in hand. */
  readonly oldest: WorkRecord | null;
}

export interface ExplainFacts {
  readonly session: Session;
  /** null: no user was named, so no allowlist admits anybody. */
  readonly user: string | null;
  readonly explained: readonly ExplainedProfile[];
  /** If only the root was asked for: the profiles that have holds of their own. */
  readonly heldAlone: readonly string[];
  /** The gateways of those profiles, or of all profiles if only the root was asked for. */
  readonly watched: Watched;
  /** Holds that ended according to the journal. */
  readonly reappearedHolds: ReappearedHolds;
}

export function explainProfile(profileState: ProfileState, user: string | null): ExplainedProfile {
  // Work that is served from the root belongs to the profile `default`.
  const applicant = { principal: user, profile: profileState.profile ?? DEFAULT_PROFILE };
  const rulings = rulingsFor(profileState.states, applicant);
  const { admitted } = admit(profileState.states, applicant);
  return { profileState, rulings, admitted, work: workInHand(profileState) };
}

/** The folder of a profile's nearest scope is the home that its gateways serve. */
function workInHand({ states: [nearest] }: ProfileState): WorkInHand {
  if (nearest === undefined) return { count: 0, unproven: 0, complete: true, oldest: null };
  const { work, complete } = readRegister(nearest.scope.dir);
  const inHand = work.filter(({ fate }) => fate !== 'abandoned').sort(byAge);
  const unproven = inHand.filter(({ fate }) => fate === 'unproven').length;
  return { count: inHand.length, unproven, complete, oldest: inHand[0] ?? null };
}
