/**
 * What stands in a whole fleet at one look: every scope, and every lane composed over its chain.
 * When to look is `watch-fleet.ts`.
 */
import {
  check,
  type DiskPort,
  listProfiles,
  profileChain,
  type ScopeCheck,
} from '@fleet-estop/sentinel-core';

export interface ScopeSummary {
  readonly dir: string;
  readonly engaged: boolean;
  /** Hold ids with what a reader needs to tell two states apart. */
  readonly holds: readonly HoldSummary[];
  readonly unreadable: string | null;
}

export interface HoldSummary {
  readonly id: string;
  readonly holder: string | null;
  readonly reason: string | null;
  readonly expires_at: string | null;
}

export interface LaneState {
  readonly profile: string;
  /** Held by any scope of its chain. */
  readonly engaged: boolean;
  readonly scopes: readonly ScopeSummary[];
}

export interface FleetState {
  readonly root: string;
  /** The root's own chain: what holds every lane. */
  readonly scopes: readonly ScopeSummary[];
  readonly engaged: boolean;
  readonly lanes: readonly LaneState[];
  /** Why lanes could not be listed; then nothing is known of them, and nothing is claimed. */
  readonly unreadable: string | null;
}

/** Reads everything from disk. Never throws for what it finds there. */
export function readFleet(disk: DiskPort, root: string): FleetState {
  const summaries = new Map<string, ScopeSummary>();
  const look = (dir: string): ScopeSummary => {
    const known = summaries.get(dir);
    if (known !== undefined) return known;
    const summary = summarise(dir, check(disk, dir));
    summaries.set(dir, summary);
    return summary;
  };
  const held = (scopes: readonly ScopeSummary[]) => scopes.some((scope) => scope.engaged);
  const listing = listProfiles(root);
  const own = profileChain(root, 'default').scopes.map((scope) => look(scope.dir));
  const lanes = listing.profiles.map(({ name }) => {
    const scopes = profileChain(root, name).scopes.map((scope) => look(scope.dir));
    return { profile: name, engaged: held(scopes), scopes };
  });
  return {
    root,
    scopes: own,
    engaged: held(own),
    lanes,
    unreadable: listing.unreadable ?? null,
  };
}

/** Every folder whose sentinel matters to this state. */
export function foldersOf(state: FleetState): string[] {
  const dirs = [...state.scopes, ...state.lanes.flatMap((lane) => lane.scopes)].map(
    (scope) => scope.dir,
  );
  return [...new Set(dirs)];
}

function summarise(dir: string, found: ScopeCheck): ScopeSummary {
  if (!found.engaged) return { dir, engaged: false, holds: [], unreadable: null };
  const holds = found.holds.map(({ id, holder, reason, expiresAt }) => ({
    id,
    holder,
    reason,
    expires_at: expiresAt,
  }));
  return { dir, engaged: true, holds, unreadable: found.unreadable ?? null };
}
