/**
 * The kinds of events that a watcher of this version tells: for refusing a mistyped one, and for
 * completing words. A later watcher may tell others, which are shown all the same.
 */
import type { EventType } from '@fleet-estop/watcher';

export const EVENT_TYPES = [
  'hold.armed',
  'hold.rearmed',
  'hold.lifted',
  'hold.expired',
  'hold.cleared-externally',
  'hold.unreadable',
  'profile.paused',
  'profile.running',
  'profile.added',
  'profile.removed',
  'gateway.connected',
  'gateway.acknowledged',
  'gateway.stale',
  'gateway.gone',
  'config.rejected',
  'clock.stepped',
] as const satisfies readonly EventType[];
