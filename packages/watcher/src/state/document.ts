/**
 * The state of a fleet as one JSON document, `fleet/state/v1`: what `--once` prints, and what the
 * daemon serves. Keys are part of the contract.
 */
import {
  type FleetState,
  type ProfileState,
  type ScopeState,
  unreadableIn,
} from './fleet-state.ts';
import type { GatewayView } from './gateway-view.ts';
import type { Snapshot } from './store.ts';

export interface StateDocument {
  readonly schema: 'fleet/state/v1';
  readonly root: string;
  /** When the disk was read, ISO 8601. */
  readonly looked_at: string;
  /** The watcher's run and the number of its newest change; null: nobody watches, this is one look. */
  readonly epoch: string | null;
  readonly revision: number | null;
  readonly scopes: readonly ScopeState[];
  readonly profiles: readonly (ProfileState & {
    /** At which what binds it last changed; null: this is one look. */
    readonly revision: number | null;
  })[];
  readonly rejected: FleetState['rejected'];
  /** All of it counts as held, or is not claimed. */
  readonly unreadable: readonly { readonly what: string; readonly why: string }[];
  /** null: not known, since only a watcher that runs has them connected. */
  readonly gateways: readonly GatewayView[] | null;
}

/** The document of one look, by nobody's watcher. */
export function documentOfLook(fleet: FleetState, lookedAt: string): StateDocument {
  return {
    schema: 'fleet/state/v1',
    root: fleet.root,
    looked_at: lookedAt,
    epoch: null,
    revision: null,
    scopes: fleet.shared,
    profiles: fleet.profiles.map((profile) => ({ ...profile, revision: null })),
    rejected: fleet.rejected,
    unreadable: unreadableIn(fleet),
    gateways: null,
  };
}

/** The document of a watcher's newest state. */
export function documentOf(snapshot: Snapshot): StateDocument {
  const { epoch, revision, looked_at, fleet, profileRevisions, gateways } = snapshot;
  return {
    ...documentOfLook(fleet, looked_at),
    epoch,
    revision,
    profiles: fleet.profiles.map((profile) => ({
      ...profile,
      revision: profileRevisions.get(profile.name) ?? null,
    })),
    gateways,
  };
}
