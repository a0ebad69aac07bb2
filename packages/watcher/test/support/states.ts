/**
 * Made-up states of a fleet.
 * States read from a real disk are in `watched.ts`.
 */
import type { HoldView } from '@fleet-estop/protocol';
import type { FleetState, ScopeState } from '../../src/state/fleet-state.ts';

export const hold = (id: string, more: Partial<HoldView> = {}): HoldView => ({
  scope: 'profile',
  id,
  holder: 'operator',
  reason: null,
  since: null,
  expires_at: null,
  expires_at_ms: null,
  allowed_users: 0,
  unreadable: null,
  ...more,
});

export const scope = (profile: string | null, ...holds: readonly HoldView[]): ScopeState => ({
  kind: profile === null ? 'root' : 'profile',
  profile,
  dir: profile === null ? '/f' : `/f/profiles/${profile}`,
  engaged: holds.length > 0,
  expired: false,
  generation: null,
  holds,
  unreadable: null,
});

/** What `name` says now cannot be read; `lastSeen` is what it said before. */
export function unread(
  { profiles, ...rest }: FleetState,
  name: string,
  lastSeen: readonly HoldView[],
): FleetState {
  const unknown = hold('unknown', { holder: null, unreadable: 'EACCES' });
  const own = { ...scope(name, unknown), unreadable: 'EACCES' };
  return {
    ...rest,
    profiles: profiles.map((old) => (old.name === name ? { name, engaged: true, own } : old)),
    lastSeen: new Map([[own.dir, lastSeen]]),
  };
}

let listings = 0;

/** `lanes`: name, and the holds that stand in it. */
export function fleet(
  lanes: Readonly<Record<string, readonly HoldView[]>>,
  rootHolds: readonly HoldView[] = [],
): FleetState {
  const shared = [scope(null, ...rootHolds)];
  return {
    root: '/f',
    shared,
    profiles: Object.entries(lanes).map(([name, holds]) => ({
      name,
      engaged: holds.length + rootHolds.length > 0,
      own: scope(name, ...holds),
    })),
    rejected: [],
    unreadable: null,
    listings: ++listings,
    lastSeen: new Map(),
  };
}
