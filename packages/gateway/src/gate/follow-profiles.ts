/**
 * Follows the lanes of one fleet, on disk and by the watcher's word.
 * What a change means is `open-gate.ts`.
 */
import { type Chain, type DiskPort, FleetError } from '@fleet-estop/sentinel-core';
import { openLink } from '../link/open-link.ts';
import type { ProfileState } from '../link/profile-state.ts';
import { safely } from '../link/safely.ts';
import type { LinkedProfile, LinkStatus } from '../link/status.ts';
import { watchProfiles } from '../link/watch-profiles.ts';

export interface FollowProfilesOptions {
  readonly root: string;
  /** Of each profile that is followed. */
  readonly chains: ReadonlyMap<string, Chain>;
  readonly software: string;
  readonly instance: string;
  readonly profiles: () => readonly LinkedProfile[];
  readonly onState: (state: ProfileState) => void;
  readonly onLink: (status: LinkStatus) => void;
  /** No: the disk alone is followed, and no watcher hears of us. */
  readonly toWatcher: boolean;
  readonly socketPath: string | undefined;
  readonly disk: DiskPort;
  readonly now: () => number;
  readonly sweepMs: number;
  readonly keepAlive: boolean;
}

export interface ProfileFollower {
  status(): LinkStatus;
  /** The doors are others than before. */
  announce(): void;
  close(): void;
}

/** `onState` is called for each profile once before this returns. */
export function followProfiles(options: FollowProfilesOptions): ProfileFollower {
  const { chains, socketPath, toWatcher, ...shared } = options;
  if (toWatcher) {
    return openLink({
      ...shared,
      ...(socketPath === undefined ? {} : { socketPath }),
      chainOf: (profile) => chainIn(chains, profile),
    });
  }
  const { disk, sweepMs, keepAlive, now, onState } = shared;
  const changed = (state: ProfileState): void => void safely(() => onState(state));
  const watch = watchProfiles({ disk, sweepMs, keepAlive, now, changed, looked: () => {} });
  watch.use(chains);
  return { status: () => ({ link: 'closed' }), announce() {}, close: watch.close };
}

/** Of several fleets, how the worst of their links is; `closed` only where all are. */
export function worstOf(statuses: readonly LinkStatus[]): LinkStatus {
  const order = ['refused', 'stale', 'connecting', 'connected', 'closed'];
  const [worst] = [...statuses].sort((a, b) => order.indexOf(a.link) - order.indexOf(b.link));
  return worst ?? { link: 'closed' };
}

function chainIn(chains: ReadonlyMap<string, Chain>, profile: string): Chain {
  const chain = chains.get(profile);
  if (chain !== undefined) return chain;
  const hint = 'name one that it serves';
  throw new FleetError('PROFILE_UNKNOWN', `this gate does not serve \`${profile}\``, { hint });
}
