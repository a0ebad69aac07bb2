/**
 * Whether gateways may still be reconnecting: for a few seconds after a watcher's start not all of them are
 * connected, and for a few seconds after a disconnect a gateway may be about to come back. The watcher judges
 * the second.
 * What gateways have acknowledged is `account.ts`.
 */

import { lstatSync } from 'node:fs';
import { watcherSocket } from './request.ts';
import type { WatchedGateway, WatcherState } from './state.ts';

/** A gateway waits at most 5 s before it reconnects; then it has to send its hello. */
const RETURN_MS = 6_000;

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

/** For the profiles that `isMeant` accepts. */
export function departedIn(
  { gateways }: WatcherState,
  isMeant: (profile: string) => boolean,
): DepartedGateway[] {
  const nowMs = Date.now();
  return gateways.flatMap(({ instance, pid, returning, lastSeenAtMs, profiles }) => {
    const names = returning ? profiles.map(({ name }) => name).filter(isMeant) : [];
    const agoMs = since(lastSeenAtMs, nowMs);
    return names.map((profile): DepartedGateway => ({ instance, pid, profile, agoMs }));
  });
}

/** null: unknown, or the clock was set back since. */
const since = (atMs: number | null, nowMs: number): number | null =>
  atMs === null || atMs > nowMs ? null : nowMs - atMs;
