/**
 * The types of the fleet's events, in the order in which documentation shows them.
 * What each carries is `schemas/events.ts`.
 */
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
  'restart.settled',
  'config.rejected',
  'clock.stepped',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];
