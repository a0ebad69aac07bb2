/**
 * The state document `fleet/state/v1`: printed by `--once`, and served by the daemon.
 * Its keys are part of the contract.
 */
import { type Acknowledgement, type JudgedGateway, judge } from './acknowledgement.ts';
import {
  type FleetState,
  type ProfileState,
  type ScopeState,
  unreadableIn,
} from './fleet-state.ts';
import type { Snapshot } from './store.ts';

export interface StateDocument {
  readonly schema: 'fleet/state/v1';
  readonly root: string;
  /** When the disk was read, ISO 8601. */
  readonly looked_at: string;
  /** The watcher's run and its newest revision; null: a single look without a watcher. */
  readonly epoch: string | null;
  readonly revision: number | null;
  readonly scopes: readonly ScopeState[];
  readonly profiles: readonly (ProfileState & {
    /** Revision at which its state last changed; null: a single look. */
    readonly revision: number | null;
    /** Whether its gateways have acknowledged that state; null: a single look. */
    readonly acknowledgement: Acknowledgement | null;
  })[];
  readonly rejected: FleetState['rejected'];
  /** All of it counts as held, or is not claimed. */
  readonly unreadable: readonly { readonly what: string; readonly why: string }[];
  /** null: unknown, since gateways only connect to a running watcher. */
  readonly gateways: readonly JudgedGateway[] | null;
}

/** The document of a single look, without a watcher. */
export function documentOfLook(fleet: FleetState, lookedAt: string): StateDocument {
  return {
    schema: 'fleet/state/v1',
    root: fleet.root,
    looked_at: lookedAt,
    epoch: null,
    revision: null,
    scopes: fleet.shared,
    profiles: fleet.profiles.map((profile) => ({
      ...profile,
      revision: null,
      acknowledgement: null,
    })),
    rejected: fleet.rejected,
    unreadable: unreadableIn(fleet),
    gateways: null,
  };
}

/** The document of a watcher's newest state. */
export function documentOf(snapshot: Snapshot): StateDocument {
  const { epoch, revision, looked_at, fleet, profileRevisions } = snapshot;
  const verdicts = judge(snapshot);
  return {
    ...documentOfLook(fleet, looked_at),
    epoch,
    revision,
    profiles: fleet.profiles.map((profile) => ({
      ...profile,
      revision: profileRevisions.get(profile.name) ?? null,
      acknowledgement: verdicts.profiles.get(profile.name) ?? null,
    })),
    gateways: verdicts.gateways,
  };
}
