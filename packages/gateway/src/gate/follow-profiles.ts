/**
 * Follows the profiles of one fleet, with a link to the watcher or from the disk alone.
 * What a change triggers is `open-gate.ts`.
 */
import type { Chain, DiskPort } from '@fleet-estop/sentinel-core';
import { type LinkOptions, openLink } from '../link/open-link.ts';
import type { ProfileState } from '../link/profile-state.ts';
import { safely } from '../link/safely.ts';
import type { LinkedProfile, LinkStatus } from '../link/status.ts';
import { watchProfiles } from '../link/watch-profiles.ts';
import { unknownProfile } from './served-homes.ts';

export interface FollowProfilesOptions {
  readonly root: string;
  /** The chain of each followed profile, by its name. */
  readonly chains: ReadonlyMap<string, Chain>;
  readonly software: string;
  readonly instance: string;
  readonly profiles: () => readonly LinkedProfile[];
  readonly onState: (state: ProfileState) => void;
  readonly onLink: (status: LinkStatus) => void;
  readonly onCut: NonNullable<LinkOptions['onCut']>;
  readonly undone: NonNullable<LinkOptions['undone']>;
  readonly resumeSpreadMs: number;
  /** false: follow the disk only, without connecting to a watcher. */
  readonly toWatcher: boolean;
  readonly socketPath: string | undefined;
  readonly disk: DiskPort;
  readonly now: () => number;
  readonly sweepMs: number;
  readonly keepAlive: boolean;
}

export interface ProfileFollower {
  status(): LinkStatus;
  /** Sends the changed list of doors to the watcher. */
  announce(): void;
  close(): void;
}

/** Calls `onState` once for each profile before it returns. */
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

/** The worst status of several links; `closed` only if all are closed. */
export function worstOf(statuses: readonly LinkStatus[]): LinkStatus {
  const order = ['refused', 'stale', 'connecting', 'connected', 'closed'];
  const [worst] = [...statuses].sort((a, b) => order.indexOf(a.link) - order.indexOf(b.link));
  return worst ?? { link: 'closed' };
}

function chainIn(chains: ReadonlyMap<string, Chain>, profile: string): Chain {
  const chain = chains.get(profile);
  if (chain !== undefined) return chain;
  throw unknownProfile(profile, [...chains.keys()]);
}
