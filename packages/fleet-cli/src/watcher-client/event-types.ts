/**
 * The event types of this version's watcher, for refusing a mistyped one and for completion.
 * A later watcher may send others, which are shown too.
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
