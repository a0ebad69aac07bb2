/**
 * What `fleet explain` finds for each profile: rulings of its holds, work in hand, gateways.
 */
import { readRegister } from '@fleet-estop/ledger';
import {
  admit,
  DEFAULT_PROFILE,
  type Ruling,
  explain as rulingsFor,
} from '@fleet-estop/sentinel-core';
import type { ReappearedHolds } from '../../fleet/reappeared-holds.ts';
import type { Session } from '../../fleet/session.ts';
import type { ProfileState } from '../../fleet/state.ts';
import { type WorkInHand, workInHand } from '../../fleet/work-in-hand.ts';
import type { Watched } from '../../watcher-client/watched.ts';

export interface ExplainedProfile {
  readonly profileState: ProfileState;
  readonly rulings: readonly Ruling[];
  readonly admitted: boolean;
  readonly work: WorkInHand;
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
  return { profileState, rulings, admitted, work: workInHand(profileState, readRegister) };
}
