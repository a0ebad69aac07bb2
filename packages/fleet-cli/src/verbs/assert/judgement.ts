/**
 * What `fleet assert` asserts, and what it found of each lane.
 * How a judgement is made is `verbs/assert/command.ts`, and for gateways `acknowledged.ts`.
 */
import { FleetError } from '@fleet-estop/sentinel-core';
import { readFleet } from '../../fleet/read-fleet.ts';
import { type SelectionOptions, select } from '../../fleet/selection.ts';
import { type GlobalOptions, openSession, type Session } from '../../fleet/session.ts';
import type { ProfileState } from '../../fleet/state.ts';
import type { ProfileAccount, Serving } from '../../watcher-client/account.ts';
import type { DepartedGateway } from '../../watcher-client/reconnecting.ts';
import type { Watched } from '../../watcher-client/watched.ts';

export type Assertion =
  | { readonly claim: 'paused' | 'running' }
  | { readonly claim: 'acknowledged' }
  | { readonly claim: 'held-by' | 'free-of'; readonly holder: string };

export interface Judgement {
  readonly profileState: ProfileState;
  /** `none`: nobody serves it and nobody should, so there is nothing to acknowledge. */
  readonly verdict: 'pass' | 'fail' | 'unreadable' | 'none';
  /** Of `acknowledged`; null: of another claim, or not known. */
  readonly account: ProfileAccount | null;
}

/**
 * Gateways of names that are no lanes of this fleet, of which there is no state to show. What holds the
 * root binds them all the same.
 */
export type Outside =
  | {
      readonly verdict: 'pass' | 'fail';
      /** Of one process, and never empty. */
      readonly serving: readonly [Serving, ...Serving[]];
    }
  | { readonly verdict: 'unreadable'; readonly departed: readonly DepartedGateway[] };

export interface AssertFacts {
  readonly session: Session;
  readonly assertion: Assertion;
  readonly judgements: readonly Judgement[];
  /** Of `acknowledged`, where the whole fleet is meant. */
  readonly outside: readonly Outside[];
  /** Errno: there may be profiles that nobody judged. */
  readonly unknownProfiles: string | null;
  /** Every judgement is a pass. */
  readonly holds: boolean;
  /** null: it was not asked to wait. */
  readonly waitedMs: number | null;
  /** What the watcher said, or why it did not; null: the claim is not about gateways. */
  readonly watched: Watched | null;
}

export interface JudgedProfiles {
  readonly session: Session;
  readonly root: ProfileState;
  readonly profileStates: readonly ProfileState[];
  readonly unknownProfiles: string | null;
}

/** `waits`: a profile that may be missing may come yet, and until then nothing is judged of it. */
export function profilesToJudge(
  options: GlobalOptions & SelectionOptions,
  nowMs: number,
  waits: boolean,
): JudgedProfiles {
  const session = openSession(options, nowMs);
  const { root, profileStates } = readFleet(session);
  const { profiles, listing } = session.selection;
  if (profiles?.length === 0 && !waits) {
    throw new FleetError('PROFILE_UNKNOWN', 'no profile that was named exists', {
      hint: 'an assertion about nothing is not true',
    });
  }
  // Once more: the folder of a lane that went away meanwhile was read as one that nothing holds.
  if (profiles !== null) select(session.root.root, options);
  const unknownProfiles = profiles === null ? (listing.unreadable ?? null) : null;
  return { session, root, profileStates, unknownProfiles };
}

/** There is nothing that was asked for and could not be judged. `waits`: nor anything that is to come. */
export const isWhole = (
  { selection: { missing, unreadLabels } }: Session,
  unknownProfiles: string | null,
  waits: boolean,
): boolean =>
  unknownProfiles === null && unreadLabels.length === 0 && !(waits && missing.length > 0);
