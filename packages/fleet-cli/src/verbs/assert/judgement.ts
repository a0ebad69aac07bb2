/**
 * The claims of `fleet assert`, and the judgement of each profile.
 * Judging is `judge-holds.ts`, and for gateways `acknowledged.ts` and `drained.ts`.
 */
import { FleetError } from '@fleet-estop/sentinel-core';
import type { DrainLook, ProfileDrain } from '../../drain/judge.ts';
import { readFleet } from '../../fleet/read-fleet.ts';
import { type SelectionOptions, select } from '../../fleet/selection.ts';
import { type GlobalOptions, openSession, type Session } from '../../fleet/session.ts';
import type { ProfileState } from '../../fleet/state.ts';
import type { DepartedGateway, ProfileAccount, Serving } from '../../watcher-client/account.ts';
import type { Watched } from '../../watcher-client/watched.ts';

export type Assertion =
  | { readonly claim: 'paused' | 'running' }
  | { readonly claim: 'acknowledged' }
  | { readonly claim: 'drained' }
  | { readonly claim: 'held-by' | 'free-of'; readonly holder: string };

export interface Judgement {
  readonly profileState: ProfileState;
  /** `none`: no gateway serves it and none is expected, so there is nothing to acknowledge. */
  readonly verdict: 'pass' | 'fail' | 'unreadable' | 'none';
  /** For `acknowledged`; null: another claim, or unknown. */
  readonly account: ProfileAccount | null;
  /** For `drained`: its register and gateways, and what was found, in words. */
  readonly drain?: { readonly one: ProfileDrain; readonly found: string };
}

/**
 * Gateways of names that are not profiles of this fleet, so there is no state to show. A hold on the root binds
 * them too.
 */
export type Outside =
  | {
      readonly verdict: 'pass' | 'fail';
      /** The entries of one process; never empty. */
      readonly serving: readonly [Serving, ...Serving[]];
    }
  | { readonly verdict: 'unreadable'; readonly departed: readonly DepartedGateway[] };

export interface AssertFacts {
  readonly session: Session;
  readonly assertion: Assertion;
  readonly judgements: readonly Judgement[];
  /** For `acknowledged` and `drained`, if the whole fleet is meant. */
  readonly outside: readonly Outside[];
  /** Errno: the profiles cannot be listed, so some may not be judged. null: they can. */
  readonly unknownProfiles: string | null;
  /** Every judgement is a pass. */
  readonly holds: boolean;
  /** null: without --within. */
  readonly waitedMs: number | null;
  /** For `acknowledged`: the watcher's answer, or why there is none; null: another claim. */
  readonly watched: Watched | null;
  /** For `drained`. */
  readonly look?: DrainLook;
}

export interface JudgedProfiles {
  readonly session: Session;
  readonly root: ProfileState;
  readonly profileStates: readonly ProfileState[];
  readonly unknownProfiles: string | null;
}

/** `waits`: a missing profile may still be added, and is not judged until then. */
export function profilesToJudge(
  options: GlobalOptions & SelectionOptions,
  nowMs: number,
  waits: boolean,
): JudgedProfiles {
  const session = openSession(options, nowMs);
  const { root, profileStates } = readFleet(session);
  const { profiles, listing } = session.selection;
  if (profiles?.length === 0 && !waits) {
    throw new FleetError('PROFILE_UNKNOWN', 'none of the named profiles exists', {
      hint: 'an assertion about nothing is not true',
    });
  }
  // Checked again, because the folder of a profile that was removed meanwhile was read as free.
  if (profiles !== null) select(session.root.root, options);
  const unknownProfiles = profiles === null ? (listing.unreadable ?? null) : null;
  return { session, root, profileStates, unknownProfiles };
}

/** Whether everything that was asked for could be judged. With `waits`, also whether no profile is missing. */
export const isWhole = (
  { selection: { missing, unreadLabels } }: Session,
  unknownProfiles: string | null,
  waits: boolean,
): boolean =>
  unknownProfiles === null && unreadLabels.length === 0 && !(waits && missing.length > 0);
