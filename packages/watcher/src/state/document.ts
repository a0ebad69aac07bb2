/**
 * The state document `fleet/state/v1`: printed by `--once`, and served by the daemon.
 * Its keys are a schema of the protocol package.
 */
import type { KnownState, LookDocument } from '@fleet-estop/protocol';
import { judge } from './acknowledgement.ts';
import { type FleetState, unreadableIn } from './fleet-state.ts';
import type { Snapshot } from './store.ts';

/** The document of a single look, without a watcher. */
export function documentOfLook(fleet: FleetState, lookedAt: string): LookDocument {
  return {
    schema: 'fleet/state/v1',
    root: fleet.root,
    looked_at: lookedAt,
    epoch: null,
    revision: null,
    starting: null,
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
export function documentOf(snapshot: Snapshot): KnownState {
  const { epoch, revision, looked_at, starting, fleet, profileRevisions } = snapshot;
  const verdicts = judge(snapshot);
  return {
    ...documentOfLook(fleet, looked_at),
    epoch,
    revision,
    starting,
    profiles: fleet.profiles.map((profile) => ({
      ...profile,
      revision: profileRevisions.get(profile.name) ?? null,
      acknowledgement: verdicts.profiles.get(profile.name) ?? null,
    })),
    gateways: verdicts.gateways,
  };
}
