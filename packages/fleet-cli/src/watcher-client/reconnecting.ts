/**
 * Whether gateways may still be reconnecting: for a few seconds after a watcher's start not all of them are
 * connected, and for a few seconds after a disconnect a gateway may be about to come back.
 * What gateways have acknowledged is `account.ts`.
 */

import { lstatSync } from 'node:fs';
import { HEARTBEAT_MS } from '@fleet-estop/wire';
import { processOf } from './account.ts';
import { watcherSocket } from './request.ts';
import type { WatchedGateway, WatcherState } from './state.ts';

/** A gateway waits at most 5 s before it reconnects; then it has to send its hello. */
const RETURN_MS = 6_000;
/**
 * Older watchers do not report when a connection ended. The last message came up to one heartbeat before
 * that.
 */
const UNSEEN_MS = RETURN_MS + HEARTBEAT_MS;

/** Judged by the age of the watcher's socket, which it creates at its start. Wrong after the clock was set. */
export function mayMissGateways(root: string): boolean {
  try {
    const socket = lstatSync(watcherSocket(root), { throwIfNoEntry: false });
    return socket !== undefined && Math.abs(Date.now() - socket.mtimeMs) < RETURN_MS;
  } catch {
    return true;
  }
}

/**
 * One profile of a gateway that disconnected a moment ago. A gateway that was stopped or killed looks the same
 * as one that is about to reconnect.
 */
export interface DepartedGateway extends Pick<WatchedGateway, 'instance' | 'pid'> {
  readonly profile: string;
  /**
   * Milliseconds since its last message; null: unknown, because it was not reported or the clock was set
   * back.
   */
  readonly agoMs: number | null;
}

/** For the profiles that `isMeant` accepts. May miss some after the clock was set forward. */
export function departedIn(
  { gateways }: WatcherState,
  isMeant: (profile: string) => boolean,
): DepartedGateway[] {
  const nowMs = Date.now();
  const here = new Set(gateways.filter(({ link }) => link !== 'gone').map(processOf));
  return gateways.flatMap((gateway): DepartedGateway[] => {
    const { instance, pid, link, lastSeenAtMs, goneAtMs, profiles } = gateway;
    if (link !== 'gone' || here.has(processOf(gateway))) return [];
    const agoMs = since(lastSeenAtMs, nowMs);
    // The time of the disconnect counts, not the last message: a silent gateway may reconnect as soon as
    // others.
    const isOver =
      goneAtMs === null ? isLonger(agoMs, UNSEEN_MS) : isLonger(since(goneAtMs, nowMs), RETURN_MS);
    if (isOver) return [];
    const names = profiles.map(({ name }) => name).filter(isMeant);
    return names.map((profile) => ({ instance, pid, profile, agoMs }));
  });
}

/** null: unknown, or the clock was set back since. */
const since = (atMs: number | null, nowMs: number): number | null =>
  atMs === null || atMs > nowMs ? null : nowMs - atMs;

/** INVARIANT 2: an unknown time may be just now. */
const isLonger = (ms: number | null, thanMs: number): boolean => ms !== null && ms >= thanMs;
